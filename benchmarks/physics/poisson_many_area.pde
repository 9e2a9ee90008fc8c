# PINNacle, Poisson 2d-MS. The tables of coefficients are replaced by formulas.
pde PoissonManyArea "Diffusion with a rapidly varying coefficient, Robin conditions"

space   (x, y) in [-10, 10]²
unknown u(x, y) : scalar
let     a(x, y) = exp(sin(π x/4) sin(π y/4))
let     f(x, y) = 1 + sin(π x/4) + cos(π y/4) + sin(π x/2) sin(π y/2)

-∇·(a(x, y)∇u) = f(x, y)
∂u/∂n + u = 0 on boundary
