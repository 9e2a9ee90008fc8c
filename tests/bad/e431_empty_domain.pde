pde A
space (x, y) in [-1, 1]^2 where x² + y² > 3
unknown u(x, y) : scalar
Δu = 0
u = 0 on left, right, bottom, top
