pde Mistake
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = ∂(heaviside(x₁) u)/∂x₁
u(x, 0) = exp(-‖x‖²)
