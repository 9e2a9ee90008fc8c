# Turning point: the layer is in the interior, at x = 0.
pde InteriorLayer "Linear turning-point problem, interior layer of width 0.01"

space   x in [-1, 1]
unknown u(x) : scalar
const   ε = 1e-4

ε ∂²u/∂x² + x ∂u/∂x = 0
u(-1) = -1
u(1) = 1
