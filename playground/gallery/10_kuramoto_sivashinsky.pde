pde KuramotoSivashinsky "Kuramoto-Sivashinsky equation: spatiotemporal chaos"
space x in [0, 32π] periodic
time t in [0, 20]
unknown u(x, t) : scalar
const μ = 1 in [0.5, 1.5]

∂u/∂t + u ∂u/∂x + μ ∂²u/∂x² + ∂⁴u/∂x⁴ = 0
u(x, 0) = cos(x/16) (1 + sin(x/16))

realize equation by grid(n=128)
