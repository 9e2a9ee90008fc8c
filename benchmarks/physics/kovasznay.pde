# DeepXDE: flow behind a grid, Re = 20; the pressure is defined up to a constant.
pde Kovasznay "Kovasznay flow"

space   (x, y) in [-0.5, 1] * [-0.5, 1.5]
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
const   Re = 20
const   λ = 10 - sqrt(100 + 4π²)

v·∇v = -∇p + (1/Re)Δv
∇·v = 0
v = [1 - exp(λ x) cos(2π y), (λ/(2π)) exp(λ x) sin(2π y)] on boundary
