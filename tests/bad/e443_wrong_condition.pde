pde Disc
space (x, y) in [-1, 1]^2 where x² + y² < 1
unknown u(x, y) : scalar
Δu = -4
∂u/∂n + u = 1 on boundary
exact u = 1 - x² - y²
