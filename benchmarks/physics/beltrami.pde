# DeepXDE: an exact solution of the Navier-Stokes equations (Ethier and Steinman 1994), here with a = d = 1.
pde Beltrami "Beltrami flow in three dimensions"

space   (x, y, z) in [-1, 1]³
time    t in [0, 1]
unknown v(x, y, z, t) : vector(3)
unknown p(x, y, z, t) : scalar
let     a(x, y, z) = -exp(x) sin(y + z) - exp(z) cos(x + y)
let     b(x, y, z) = -exp(y) sin(z + x) - exp(x) cos(y + z)
let     c(x, y, z) = -exp(z) sin(x + y) - exp(y) cos(z + x)

∂v/∂t + v·∇v = -∇p + Δv
∇·v = 0
v(x, y, z, 0) = [a(x, y, z), b(x, y, z), c(x, y, z)]
v = [a(x, y, z) exp(-t), b(x, y, z) exp(-t), c(x, y, z) exp(-t)] on boundary
