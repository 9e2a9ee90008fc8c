# PINNacle, PInv: the source does not belong to the stated solution.
pde InversePoisson "Inverse Poisson problem with a wrong source"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar
let     a(x, y) = 1/(1 + x² + y² + (x - 1)² + (y - 1)²)

-∇·(a(x, y)∇u) = 2π² sin(π x) sin(π y) a(x, y)
u = 0 on boundary
exact u = sin(π x) sin(π y)
