pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const a = 1; const b = 2
∂u/∂t = a b Δu
u(x, 0) = sin(π x)
u = 0 on boundary
