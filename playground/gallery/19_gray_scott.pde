pde GrayScott "Gray-Scott system: spots that divide"
space (x, y) in [-1, 1]² periodic
time t in [0, 300]
unknown a(x, y, t) : scalar
unknown b(x, y, t) : scalar
const F = 0.035 in [0.02, 0.06]
const k = 0.06 in [0.05, 0.065]
let spot(x, y) = exp(-40 ((x + 0.1)² + (y + 0.05)²))

∂a/∂t = 2e-4 Δa - a b² + F (1 - a)
∂b/∂t = 1e-4 Δb + a b² - (F + k) b
a(x, y, 0) = 1 - spot(x, y)/2
b(x, y, 0) = spot(x, y)/4

realize equation by grid(n=40)
