pde S
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar = mlp(8, 2)
unknown w(x, t) : scalar = mlp(16, 2)
∂u/∂t = 0.1Δu - w
∂w/∂t = 0.1Δw + u
u(x, 0) = sin(2π x)
w(x, 0) = 0
