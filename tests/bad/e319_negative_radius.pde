pde P
space r in polar [-1, 1]
unknown u(r) : scalar
-Δu = 1
u = 0 on boundary
