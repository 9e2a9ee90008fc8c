# DeepXDE.
pde Helmholtz "Helmholtz equation on a square"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar
const   k = 4π

-Δu - k² u = k² sin(k x) sin(k y)
u = 0 on boundary
