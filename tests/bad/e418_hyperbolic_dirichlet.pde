pde Waves

space   (x, y) in [0, 1]^2
unknown u(x, y) : scalar

∂²u/∂x² = 4 ∂²u/∂y²
u = x y on boundary
