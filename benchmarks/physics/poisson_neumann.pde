# DeepXDE.
pde PoissonNeumann "Poisson equation in one dimension, Dirichlet and Neumann conditions"

space   x in [-1, 1]
unknown u(x) : scalar

∂²u/∂x² = 2
u(-1) = 0
∂u/∂x(1) = 4
