# PINNacle's equation and times with periodic conditions, which it does not state, and a shorter time.
pde GrayScott "Gray-Scott equations"

space   (x, y) in [-1, 1]² periodic
time    t in [0, 50]
unknown u(x, y, t) : scalar
unknown v(x, y, t) : scalar
const   b = 0.04
const   d = 0.1

∂u/∂t = 1e-5Δu + b (1 - u) - u v²
∂v/∂t = 5e-6Δv - d v + u v²
u(x, y, 0) = 1 - exp(-80 ((x + 0.05)² + (y + 0.02)²))
v(x, y, 0) = exp(-80 ((x - 0.05)² + (y - 0.02)²))
