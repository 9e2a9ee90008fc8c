# DeepXDE solves it in polar coordinates.
pde LaplaceDisc "Laplace equation on a disc"

space   (x, y) in [-1, 1]² where x² + y² < 1
unknown u(x, y) : scalar

Δu = 0
u = x + x² on boundary
