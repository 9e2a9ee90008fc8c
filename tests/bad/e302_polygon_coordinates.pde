pde P
space (x, y, z) in polygon([[0, 0], [1, 0], [0, 1]])
unknown u(x, y) : scalar
-Δu = 1
u = 0 on boundary
