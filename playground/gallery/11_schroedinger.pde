pde Schroedinger "A wave packet in a periodic potential"
space x in [-π, π] periodic
time t in [0, 2]
unknown u(x, t) : scalar
unknown v(x, t) : scalar
const V = 3 in [0, 8]
const k = 4 in [0, 6]

∂u/∂t = -½ ∂²v/∂x² + V (1 - cos(x)) v
∂v/∂t = ½ ∂²u/∂x² - V (1 - cos(x)) u
u(x, 0) = exp(-4x²) cos(k x)
v(x, 0) = exp(-4x²) sin(k x)

realize equation by grid(n=96)
