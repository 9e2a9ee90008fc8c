pde Plate
space (x, y) in [0, 1]^2
unknown u(x, y) : scalar
Δ²u = 1
u = 0 on boundary
∂u/∂n = 0 on boundary
Δu = 0 on left
