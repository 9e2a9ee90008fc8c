# DeepXDE: h = u + iv.
pde NonlinearSchroedinger "Nonlinear Schroedinger equation as a real pair"

space   x in [-5, 5] periodic
time    t in [0, 1.5]
unknown u(x, t) : scalar
unknown v(x, t) : scalar

∂u/∂t = -½ ∂²v/∂x² - (u² + v²) v
∂v/∂t = ½ ∂²u/∂x² + (u² + v²) u
u(x, 0) = 2/cosh(x)
v(x, 0) = 0
