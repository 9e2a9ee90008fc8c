pde BoundaryLayer3 "Convection-diffusion with a boundary layer, ε = 1e-3"

space   x in [0, 1]
unknown u(x) : scalar
const   ε = 1e-3

-ε ∂²u/∂x² + ∂u/∂x = 1
u = 0 on boundary
