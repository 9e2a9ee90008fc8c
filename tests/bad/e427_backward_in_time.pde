pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
min(∂u/∂t + Δu, u) = 0
u(x, 0) = sin(π x)
u = 0 on boundary
