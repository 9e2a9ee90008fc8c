# DeepXDE.
pde PoissonRobin "Poisson equation in one dimension, Dirichlet and Robin conditions"

space   x in [-1, 1]
unknown u(x) : scalar

∂²u/∂x² = 2
u(-1) = 0
∂u/∂x(1) = u(1)
