# A perforated domain with a Dirichlet condition on each hole: heat conduction between a hot and a cold pipe.
pde PoissonHoles "Laplace equation on a square with two holes"

space   (x, y) in [-1, 1]² where (x - 0.4)² + y² > 0.04, (x + 0.4)² + y² > 0.04
unknown u(x, y) : scalar

Δu = 0
u = 0 on left, right, bottom, top
u = 1 on (x - 0.4)² + y² = 0.04
u = -1 on (x + 0.4)² + y² = 0.04
