# An indefinite elliptic equation with oscillating solutions.
pde Helmholtz "Helmholtz equation on a square"

space   (x, y) in [-1, 1]²
unknown u(x, y) : scalar
const   k = 1

Δu + k² u = (k² - 17π²) sin(π x) sin(4π y)
u = 0 on boundary
exact u = sin(π x) sin(4π y)
