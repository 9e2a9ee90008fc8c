pde Slit "Laplace equation, the condition changes its kind on an edge"

space   (x, y) in [-1, 1] * [0, 1]
unknown u(x, y) : scalar

Δu = 0
u = 0 on bottom where x < 0
∂u/∂n = 0 on bottom where x > 0
u = sqrt(½ (sqrt(x² + y²) + x)) on left, right, top
