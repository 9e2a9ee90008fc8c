# The initial condition of Kassam and Trefethen 2005, until t = 50.
pde KuramotoSivashinsky "Kuramoto-Sivashinsky equation"

space   x in [0, 32π] periodic
time    t in [0, 50]
unknown u(x, t) : scalar

∂u/∂t + u ∂u/∂x + ∂²u/∂x² + ∂⁴u/∂x⁴ = 0
u(x, 0) = cos(x/16) (1 + sin(x/16))
