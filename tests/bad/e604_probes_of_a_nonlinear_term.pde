pde Probes

space   x in [-1, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t + u ∂u/∂x = ∂²u/∂x²
u(x, 0) = -sin(π x)
u = 0 on boundary

realize equation by residual(probes=2)
train { optimizer adam
  steps 10 }
