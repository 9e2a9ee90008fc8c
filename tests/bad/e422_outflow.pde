pde Outflow
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t + 2 ∂u/∂x = 0
u(x, 0) = sin(π x)
u = 0 on left
u = 0 on right
