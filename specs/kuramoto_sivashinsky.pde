# Long-wave instability, short-wave damping and nonlinear energy transfer: spatiotemporal chaos.
pde KuramotoSivashinsky "Kuramoto-Sivashinsky equation"

const   L = 32π
space   x in [0, L] periodic
time    t in [0, 30]
unknown u(x, t) : scalar

∂u/∂t + u ∂u/∂x + ∂²u/∂x² + ∂⁴u/∂x⁴ = 0
u(x, 0) = cos(x/16) (1 + sin(x/16))

realize equation by grid(n=256)
