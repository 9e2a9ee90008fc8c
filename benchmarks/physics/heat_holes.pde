# PINNacle, Heat 2d-CG: 17 pipes in a rectangle.
pde HeatHoles "Heat equation on a rectangle with 17 holes, Robin conditions"

space   (x, y) in [-8, 8] * [-12, 12] where (x + 4)² + (y + 3)² > 1, (x - 4)² + (y + 3)² > 1, (x + 4)² + (y - 3)² > 1, (x - 4)² + (y - 3)² > 1, (x + 4)² + (y + 9)² > 1, (x - 4)² + (y + 9)² > 1, (x + 4)² + (y - 9)² > 1, (x - 4)² + (y - 9)² > 1, x² + y² > 1, x² + (y - 6)² > 1, x² + (y + 6)² > 1, (x + 3.2)² + (y + 6)² > 0.16, (x + 3.2)² + (y - 6)² > 0.16, (x - 3.2)² + (y + 6)² > 0.16, (x - 3.2)² + (y - 6)² > 0.16, (x + 3.2)² + y² > 0.16, (x - 3.2)² + y² > 0.16
time    t in [0, 3]
unknown u(x, y, t) : scalar

∂u/∂t = Δu
u(x, y, 0) = 0
∂u/∂n = 0.1 - u on left, right, bottom, top
∂u/∂n = 5 - u on (x + 4)² + (y + 3)² = 1, (x - 4)² + (y + 3)² = 1, (x + 4)² + (y - 3)² = 1, (x - 4)² + (y - 3)² = 1
∂u/∂n = 5 - u on (x + 4)² + (y + 9)² = 1, (x - 4)² + (y + 9)² = 1, (x + 4)² + (y - 9)² = 1, (x - 4)² + (y - 9)² = 1
∂u/∂n = 5 - u on x² + y² = 1, x² + (y - 6)² = 1, x² + (y + 6)² = 1
∂u/∂n = 1 - u on (x + 3.2)² + (y + 6)² = 0.16, (x + 3.2)² + (y - 6)² = 0.16, (x - 3.2)² + (y + 6)² = 0.16
∂u/∂n = 1 - u on (x - 3.2)² + (y - 6)² = 0.16, (x + 3.2)² + y² = 0.16, (x - 3.2)² + y² = 0.16
