pde Blasius "Blasius boundary layer"

space   η in [0, 10]
unknown f(η) : scalar

∂³f/∂η³ + ½ f ∂²f/∂η² = 0
f(0) = 0
∂f/∂η(0) = 0
∂f/∂η(10) = 1
