pde P
space x in [0, 1]
unknown u(x) : scalar
-Δu = δ(x - ½)
u = 0 on boundary
realize equation by monte_carlo
