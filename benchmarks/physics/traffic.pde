pde Traffic "Lighthill-Whitham traffic flow: the light turns green"

space   x in [-1, 1]
time    t in [0, 0.8]
unknown ρ(x, t) : scalar

∂ρ/∂t + ∂(ρ (1 - ρ))/∂x = 0
ρ(x, 0) = heaviside(-x)
ρ = 1 on left
ρ = 0 on right
