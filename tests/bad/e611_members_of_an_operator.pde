pde Mistake
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = exp(-‖x‖²)
realize diffusion by noise(members=3)
