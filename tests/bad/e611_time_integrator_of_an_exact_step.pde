pde Mistake
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = exp(-‖x‖²)
realize time by euler(steps=3)
