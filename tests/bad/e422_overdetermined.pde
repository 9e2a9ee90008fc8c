pde Ends

space   (x, y) in [0, 1]^2
unknown u(x, y) : scalar

∂u/∂x + ∂u/∂y = u
u = exp(y) on left
u = exp(x) on bottom
u = exp(1) on right
