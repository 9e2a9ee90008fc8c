pde P
space (x, y) in polygon([[0, 0], [1, 1], [2, 2]])
unknown u(x, y) : scalar
-Δu = 1
u = 0 on boundary
