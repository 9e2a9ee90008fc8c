# Coherent state of the harmonic oscillator.
pde Schroedinger "Schroedinger equation with a harmonic potential"

space   x in [-8, 8]
time    t in [0, 2π]
unknown u(x, t) : scalar
unknown v(x, t) : scalar

∂u/∂t = -½ ∂²v/∂x² + ½ x² v
∂v/∂t = ½ ∂²u/∂x² - ½ x² u
u(x, 0) = π^(-¼) exp(-½ (x - 1)²)
v(x, 0) = 0
u = 0 on boundary
v = 0 on boundary
