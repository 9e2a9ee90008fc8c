pde P
space x in [0, 1]
unknown u(x) : scalar
-Δu = 2δ(x - ½)
u = 0 on boundary
exact u = ½ min(x, 1 - x)
