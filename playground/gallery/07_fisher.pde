pde Fisher "Fisher-KPP equation: a population that spreads"
space x in [0, 10]
time t in [0, 3]
unknown u(x, t) : scalar
const D = 0.3 in [0.1, 1]
const r = 2 in [0.5, 4]

∂u/∂t = DΔu + r u (1 - u)
u(x, 0) = exp(-x²)
∂u/∂n = 0 on boundary

realize equation by grid(n=64)
