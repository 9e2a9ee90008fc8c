pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = 0
u(0, t) = 0
u(2, t) = 0
