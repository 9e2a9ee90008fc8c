pde A
space x in [0, 1]
unknown u(x) : scalar
learn q : scalar > 0 = 0.5
-∂²u/∂x² = q sin(π x)
u = 0 on boundary
