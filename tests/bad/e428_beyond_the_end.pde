pde P
space x in [0, 1]
unknown u(x) : scalar
-Δu = δ(x - 3/2)
u = 0 on boundary
