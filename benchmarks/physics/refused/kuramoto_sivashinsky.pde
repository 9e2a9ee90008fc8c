# PINNacle, KS: no boundary condition is stated.
pde KuramotoSivashinsky "Kuramoto-Sivashinsky equation without boundary conditions"

space   x in [0, 2π]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t + 100/16 u ∂u/∂x + 100/16² ∂²u/∂x² + 100/16⁴ ∂⁴u/∂x⁴ = 0
u(x, 0) = cos(x) (1 + sin(x))
