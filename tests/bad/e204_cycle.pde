pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
let a = b + 1
let b = a - 1
∂u/∂t = a Δu
u(x, 0) = sin(π x)
u = 0 on boundary
