pde A
space (x, y) in [-1, 1]^2
unknown u(x, y) : scalar
learn b : vector = 0.1
b·∇u = Δu
u = 0 on boundary
