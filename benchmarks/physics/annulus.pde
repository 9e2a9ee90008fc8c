pde Annulus "Heat conduction through the wall of a pipe"

space   (x, y) in [-1, 1]² where x² + y² < 1, x² + y² > 0.09
unknown u(x, y) : scalar

Δu = 0
u = 1 on x² + y² = 0.09
∂u/∂n = x - u on x² + y² = 1
