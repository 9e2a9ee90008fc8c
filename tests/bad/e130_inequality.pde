pde P
space x in [-1, 1]
unknown u(x) : scalar
-Δu >= 1
u = 0 on boundary
