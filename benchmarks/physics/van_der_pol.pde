pde VanDerPol "Van der Pol oscillator"

time    t in [0, 20]
unknown x(t) : scalar
const   μ = 5

∂²x/∂t² = μ (1 - x²) ∂x/∂t - x
x(0) = 2
∂x/∂t(0) = 0
