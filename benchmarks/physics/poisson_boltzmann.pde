# PINNacle, Poisson 2d-CG: linearised Poisson-Boltzmann equation, four holes of different sizes.
pde PoissonBoltzmann "Poisson-Boltzmann equation on a square with four holes"

space   (x, y) in [-1, 1]² where (x - 0.5)² + (y - 0.5)² > 0.04, (x - 0.4)² + (y + 0.4)² > 0.16, (x + 0.2)² + (y + 0.7)² > 0.01, (x + 0.6)² + (y - 0.5)² > 0.09
unknown u(x, y) : scalar
const   k = 8

-Δu + k² u = 10 (17 + x² + y²) sin(π x) sin(4π y)
u = 0.2 on left, right, bottom, top
u = 1 on (x - 0.5)² + (y - 0.5)² = 0.04
u = 1 on (x - 0.4)² + (y + 0.4)² = 0.16
u = 1 on (x + 0.2)² + (y + 0.7)² = 0.01
u = 1 on (x + 0.6)² + (y - 0.5)² = 0.09
