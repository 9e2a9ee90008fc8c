pde A
space (x, y) in [-1, 1]^2
unknown u(x, y) : scalar
Δu = 0
u = 0 on boundary
u = 1 on x = u
