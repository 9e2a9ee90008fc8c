pde A
space   (x, y) in [-1, 1]² where x² + y² < 1, (x - 0.3)² + y² > 0.01
unknown u(x, y) : scalar
Δu = 0
u = 0 on x² + y² = 1
