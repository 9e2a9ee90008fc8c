pde Heat
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = ∂u/∂in
u(x, 0) = sin(2π x)
