pde Mistake
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
learn   q(x) : scalar = mlp
∂u/∂t = q Δu
u(x, 0) = exp(-‖x‖²)
