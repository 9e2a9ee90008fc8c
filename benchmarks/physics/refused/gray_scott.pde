# PINNacle, GS: no boundary condition is stated.
pde GrayScott "Gray-Scott equations without boundary conditions"

space   (x, y) in [-1, 1]²
time    t in [0, 200]
unknown u(x, y, t) : scalar
unknown v(x, y, t) : scalar

∂u/∂t = 1e-5Δu + 0.04 (1 - u) - u v²
∂v/∂t = 5e-6Δv - 0.1v + u v²
u(x, y, 0) = 1 - exp(-80 ((x + 0.05)² + (y + 0.02)²))
v(x, y, 0) = exp(-80 ((x - 0.05)² + (y - 0.02)²))
