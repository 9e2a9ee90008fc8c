# A sum of plane waves, which is given on the boundary.
pde Helmholtz30 "Helmholtz equation with wave number 30"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar
const   k = 30

Δu + k² u = 0
u = cos(k x) + sin(k (0.6x + 0.8y)) + sin(k y) on boundary
