pde Carried

space   (x, y) in [0, 1]^2
unknown u(x, y) : scalar

∂u/∂x + 2 ∂u/∂y = 1
u = 0 on left
