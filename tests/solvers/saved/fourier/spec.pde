pde Ring
space x in [0, 1] periodic
time t in [0, 0.1]
unknown u(x, t) : scalar
∂u/∂t = 0.1 Δu
u(x, 0) = sin(2π x)
realize equation by grid(n=8)
