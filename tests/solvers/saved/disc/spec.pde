pde Disc
space (x, y) in [-1, 1]^2 where x² + y² < 1
unknown u(x, y) : scalar
-Δu = 4
u = 0 on boundary
realize equation by grid(n=8)
