pde Neumann
space (x, y) in [0, 1]^2
unknown u(x, y) : scalar
-Δu = 1
∂u/∂n = 0 on boundary
