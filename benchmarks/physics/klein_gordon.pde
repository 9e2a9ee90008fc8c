# DeepXDE.
pde KleinGordon "Nonlinear Klein-Gordon equation"

space   x in [-1, 1]
time    t in [0, 10]
unknown u(x, t) : scalar

∂²u/∂t² - ∂²u/∂x² + u² = -x cos(t) + x² cos(t)²
u(x, 0) = x
∂u/∂t(x, 0) = 0
u = -cos(t) on left
u = cos(t) on right
