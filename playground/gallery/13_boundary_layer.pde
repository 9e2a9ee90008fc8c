pde BoundaryLayer "Stationary convection-diffusion with a boundary layer"
space x in [0, 1]
unknown u(x) : scalar
const ε = 0.05 in [0.01, 1]

-ε ∂²u/∂x² + ∂u/∂x = 1
u = 0 on boundary

realize equation by grid(n=64)
