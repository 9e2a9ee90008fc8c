pde ReactionLayer "Reaction-diffusion with two boundary layers of width 1e-3"

space   x in [0, 1]
unknown u(x) : scalar
const   ε = 1e-3

-ε² ∂²u/∂x² + u = cos(π x)
u = 0 on boundary
