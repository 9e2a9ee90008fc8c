# PINNacle and DeepXDE: a layer of width 0.004 forms at x = 0.
pde Burgers "Viscous Burgers equation"

space   x in [-1, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t + u ∂u/∂x = (0.01/π) ∂²u/∂x²
u(x, 0) = -sin(π x)
u = 0 on boundary
