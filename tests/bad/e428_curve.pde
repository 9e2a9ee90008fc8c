pde P
space (x, y) in [0, 1]^2
unknown u(x, y) : scalar
-Δu = δ(x - y)
u = 0 on boundary
