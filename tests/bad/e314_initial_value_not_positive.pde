pde A
space (x, y) in [-1, 1]^2
unknown u(x, y) : scalar
learn k : scalar > 0 = -1
k Δu = 1
u = 0 on boundary
