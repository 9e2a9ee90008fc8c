pde Rod "A rod heated periodically at one end"
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const κ = 0.1 in [0.02, 0.5]
const ω = 4 in [1, 12]
const h = 1 in [0, 5]

∂u/∂t = κΔu
u(x, 0) = 0
u = sin(ω t) on left
∂u/∂n + h u = 0 on right

realize equation by grid(n=24)
