pde PlateClamped "Clamped square plate under a uniform load"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar

Δ²u = 1
u = 0 on boundary
∂u/∂n = 0 on boundary
