pde Growing
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = sin(2π x)
u(1, t) = 2u(0, t)
∂u/∂x(1, t) = 2∂u/∂x(0, t)
