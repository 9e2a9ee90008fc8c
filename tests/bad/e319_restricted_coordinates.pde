pde P
space (r, z) in cylindrical [0, 1] * [0, 1] where r + z < 1
unknown u(r, z) : scalar
-Δu = 1
u = 0 on boundary
