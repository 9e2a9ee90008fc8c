# PINNacle, Wave 1d-C.
pde Wave "Wave equation, two modes"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂²u/∂t² = 4 ∂²u/∂x²
u(x, 0) = sin(π x) + ½ sin(4π x)
∂u/∂t(x, 0) = 0
u = 0 on boundary
