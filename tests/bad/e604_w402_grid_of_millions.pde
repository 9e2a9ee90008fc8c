pde Heat
space (x, y) in [0, 1]^2
time t in [0, 1]
unknown u(x, y, t) : scalar
∂u/∂t = Δu
u(x, y, 0) = sin(π x)
u = 0 on boundary
realize equation by grid(n=3000)
