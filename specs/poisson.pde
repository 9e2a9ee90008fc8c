# A stationary equation with Dirichlet conditions on every face.
pde Poisson "Poisson equation on a square"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar

-Δu = 2π² sin(π x) sin(π y)
u = 0 on boundary
exact u = sin(π x) sin(π y)
