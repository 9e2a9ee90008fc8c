pde Mistake
space   x in R²
time    t in [0, 1]
unknown u(x, t) : vector(2)
∂u/∂t = Δu
u(x, 0) = x
