# Reaction-diffusion system with self-replicating spots.
pde GrayScott "Gray-Scott reaction-diffusion system"

space   (x, y) in [-1, 1]² periodic
time    t in [0, 200]
unknown a(x, y, t) : scalar
unknown b(x, y, t) : scalar
const   F = 0.04
const   k = 0.06
let     spot(x, y) = exp(-40((x + 0.1)² + (y + 0.05)²))

∂a/∂t = 8e-5Δa - a b² + F (1 - a)
∂b/∂t = 4e-5Δb + a b² - (F + k) b
a(x, y, 0) = 1 - spot(x, y)/2
b(x, y, 0) = spot(x, y)/4

realize equation by grid(n=96)
