pde Bratu "Bratu's problem in one dimension"

space   x in [0, 1]
unknown u(x) : scalar

∂²u/∂x² + 2 exp(u) = 0
u = 0 on boundary
