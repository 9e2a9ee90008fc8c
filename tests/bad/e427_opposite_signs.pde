pde P
space x in [-1, 1]
unknown u(x) : scalar
min(Δu + 1, u + x²) = 0
u = 0 on boundary
