pde PoissonNeumann2D "Poisson equation with fluxes on all sides"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar

-Δu = 5π² cos(π x) cos(2π y)
∂u/∂n = 0 on boundary
