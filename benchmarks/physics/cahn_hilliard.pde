pde CahnHilliard "Cahn-Hilliard equation"

space   x in [-1, 1] periodic
time    t in [0, 1]
unknown u(x, t) : scalar
const   γ = 1e-3

∂u/∂t = Δ(u³ - u - γΔu)
u(x, 0) = cos(π x) - ½ cos(2π x)
