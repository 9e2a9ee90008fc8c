pde BoundaryLayer6 "Convection-diffusion with a boundary layer, ε = 1e-6"

space   x in [0, 1]
unknown u(x) : scalar
const   ε = 1e-6

-ε ∂²u/∂x² + ∂u/∂x = 1
u = 0 on boundary
