# DeepXDE.
pde PoissonDirichlet "Poisson equation in one dimension, Dirichlet conditions"

space   x in [-1, 1]
unknown u(x) : scalar

-∂²u/∂x² = π² sin(π x)
u(-1) = 0
u(1) = 0
