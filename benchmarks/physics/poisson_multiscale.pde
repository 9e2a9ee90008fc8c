# DeepXDE.
pde PoissonMultiscale "Poisson equation in one dimension, two scales"

space   x in [0, 1]
unknown u(x) : scalar

∂²u/∂x² = -(2π)² sin(2π x) - 0.1 (50π)² sin(50π x)
u = 0 on boundary
