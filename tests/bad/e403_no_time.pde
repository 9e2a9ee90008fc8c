pde Poisson
space x in [0, 1]
unknown u(x) : scalar
Δu = 1 for t in [0, 1]
u = 0 on boundary
