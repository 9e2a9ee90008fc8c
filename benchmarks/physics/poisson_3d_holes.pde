# The domain of PINNacle's Poisson 3d-CG; source and fluxes are those of a known solution.
pde Poisson3DHoles "Screened Poisson equation in a cube with four spherical holes"

space   (x, y, z) in [0, 1]³ where (x - 0.4)² + (y - 0.3)² + (z - 0.6)² > 0.04, (x - 0.6)² + (y - 0.7)² + (z - 0.6)² > 0.04, (x - 0.2)² + (y - 0.8)² + (z - 0.7)² > 0.01, (x - 0.6)² + (y - 0.2)² + (z - 0.3)² > 0.01
unknown u(x, y, z) : scalar
let     w(x, y, z) = cos(π x) cos(2π y) cos(π z)

-Δu + 64u = (64 + 6π²) w(x, y, z)
n·∇u = 0 on left, right, bottom, top, back, front
u = w(x, y, z) on (x - 0.4)² + (y - 0.3)² + (z - 0.6)² = 0.04
u = w(x, y, z) on (x - 0.6)² + (y - 0.7)² + (z - 0.6)² = 0.04
u = w(x, y, z) on (x - 0.2)² + (y - 0.8)² + (z - 0.7)² = 0.01
u = w(x, y, z) on (x - 0.6)² + (y - 0.2)² + (z - 0.3)² = 0.01
