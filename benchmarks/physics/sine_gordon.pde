pde SineGordon "Breather of the sine-Gordon equation"

space   x in [-20, 20]
time    t in [0, 20]
unknown u(x, t) : scalar

∂²u/∂t² = ∂²u/∂x² - sin(u)
u(x, 0) = 0
∂u/∂t(x, 0) = 3.2/cosh(0.8x)
u = 0 on boundary
