pde Delay
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂²u/∂t² = Δu + u(x, t - 1/2)
u(x, t) = sin(2π x) for t in [-1, 0]
∂u/∂t(x, 0) = 0
