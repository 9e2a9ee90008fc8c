pde Mistake
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
learn   S : matrix, symmetric
∂u/∂t = S:∇∇u
u(x, 0) = exp(-‖x‖²)
