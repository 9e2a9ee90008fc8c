# DeepXDE: linear elasticity, λ = 1, μ = 1/2, in terms of the displacements.
pde Elasticity "Elastic plate under body forces"

space   (x, y) in [0, 1]²
unknown u(x, y) : scalar
unknown v(x, y) : scalar
const   Q = 4

2 ∂²u/∂x² + ½ ∂²u/∂y² + 3/2 ∂²v/∂x∂y = -8π² cos(2π x) sin(π y) - ½π² cos(2π x) sin(π y) + 3/2 π Q y³ cos(π x)
½ ∂²v/∂x² + 2 ∂²v/∂y² + 3/2 ∂²u/∂x∂y = -1/8 π² Q y⁴ sin(π x) + 6Q y² sin(π x) - 3π² sin(2π x) cos(π y)
u = 0 on bottom, top
v = 0 on left, right, bottom
2 ∂u/∂x + ∂v/∂y = 0 on left, right
2 ∂v/∂y + ∂u/∂x = 2Q sin(π x) on top
