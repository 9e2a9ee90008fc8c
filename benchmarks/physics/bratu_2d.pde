pde Bratu2D "Bratu's problem on a square"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar

Δu + 5 exp(u) = 0
u = 0 on boundary
