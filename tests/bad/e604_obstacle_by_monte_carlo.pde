pde P
space x in [-1, 1]
unknown u(x) : scalar
min(-Δu, u - ½ + 2x²) = 0
u = 0 on boundary
realize equation by monte_carlo
