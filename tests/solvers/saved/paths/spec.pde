pde Rod
space x in [0, 1]
unknown u(x) : scalar = mlp(width=3, depth=1)
-Δu = 2
u = 0 on boundary
realize equation by paths(samples=200)
