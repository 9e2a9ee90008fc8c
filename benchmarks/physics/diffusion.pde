# DeepXDE.
pde Diffusion "Diffusion equation with a source"

space   x in [-1, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = ∂²u/∂x² - exp(-t) (sin(π x) - π² sin(π x))
u(x, 0) = sin(π x)
u = 0 on boundary
