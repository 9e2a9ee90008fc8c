pde Wave "A plucked string"
space x in [0, 1]
time t in [0, 2]
unknown u(x, t) : scalar
const c = 1 in [0.5, 2]

∂²u/∂t² = c² Δu
u(x, 0) = sin(π x) + sin(4π x)/4
∂u/∂t(x, 0) = 0
u = 0 on boundary

realize equation by grid(n=64)
