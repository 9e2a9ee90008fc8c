pde Shock
space x in [-1, 1]
time t in [0, 0.1]
unknown u(x, t) : scalar
∂u/∂t + u ∂u/∂x = 0
u(x, 0) = -sign(x)
u = 1 on left
u = -1 on right
realize equation by grid(n=16)
