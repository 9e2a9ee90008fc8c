pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const k = 0.1
∂u/∂t = k ∂²u/∂x²   (2.3)
u(x, 0) = sin(π x)
u = 0 on boundary
