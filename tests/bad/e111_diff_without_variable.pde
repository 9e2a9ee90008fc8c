pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = diff(u, 2)
u(x, 0) = sin(π x)
u = 0 on boundary
