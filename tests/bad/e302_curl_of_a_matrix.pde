pde Bad
space (x, y) in [0, 1]^2
unknown u(x, y) : vector
∇×(∇u) = 0
u = 0 on boundary
