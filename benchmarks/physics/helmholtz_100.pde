pde Helmholtz100 "Helmholtz equation with wave number 100"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar
const   k = 100

Δu + k² u = 0
u = cos(k x) + sin(k (0.6x + 0.8y)) + sin(k y) on boundary
