# PINNacle, Poisson 2d-C.
pde PoissonHoles "Laplace equation on a square with four holes"

space   (x, y) in [-0.5, 0.5]² where (x - 0.3)² + (y - 0.3)² > 0.01, (x + 0.3)² + (y - 0.3)² > 0.01, (x - 0.3)² + (y + 0.3)² > 0.01, (x + 0.3)² + (y + 0.3)² > 0.01
unknown u(x, y) : scalar

-Δu = 0
u = 1 on left, right, bottom, top
u = 0 on (x - 0.3)² + (y - 0.3)² = 0.01
u = 0 on (x + 0.3)² + (y - 0.3)² = 0.01
u = 0 on (x - 0.3)² + (y + 0.3)² = 0.01
u = 0 on (x + 0.3)² + (y + 0.3)² = 0.01
