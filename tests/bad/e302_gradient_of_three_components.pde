pde Bad
space (x, y) in [0, 1]^2
unknown u(x, y) : vector(3)
-Δu = u tr(∇u)
u = 0 on boundary
