pde Wave
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
∂²u/∂t² = Δu
u(x, 0) = exp(-‖x‖²)
∂u/∂t(x, 0) = 0
