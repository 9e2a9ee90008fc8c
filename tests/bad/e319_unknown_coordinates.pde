pde P
space r in sperical [0, 1]
unknown u(r) : scalar
-Δu = 1
u = 0 on boundary
