pde Delay
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu + u(x - 1/2, t)
u(x, 0) = sin(2π x)
