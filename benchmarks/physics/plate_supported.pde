pde PlateSupported "Simply supported square plate under a uniform load"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar

Δ²u = 1
u = 0 on boundary
Δu = 0 on boundary
