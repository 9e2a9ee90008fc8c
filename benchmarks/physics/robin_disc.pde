pde RobinDisc "Poisson equation on a disc, Robin condition"

space   (x, y) in [-1, 1]² where x² + y² < 1
unknown u(x, y) : scalar

-Δu = 1
∂u/∂n + u = x y on boundary
