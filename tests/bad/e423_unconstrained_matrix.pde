pde Learned
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
learn S : matrix, symmetric
∂u/∂t = Δu + S:∇∇u
u(x, 0) = exp(-‖x‖²)
