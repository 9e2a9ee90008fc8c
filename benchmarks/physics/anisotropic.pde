pde Anisotropic "Strongly anisotropic diffusion"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar
const   A = [[1, 0.999], [0.999, 1]]

-∇·(A∇u) = 2π² sin(π x) sin(π y) - 1.998π² cos(π x) cos(π y)
u = 0 on boundary
