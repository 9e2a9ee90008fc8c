# DeepXDE.
pde PoissonPeriodic "Poisson equation on a circle, fixed by its value at one point"

space   x in [-1, 1] periodic
unknown u(x) : scalar

∂²u/∂x² = -π² sin(π x)
u(-1) = 0
