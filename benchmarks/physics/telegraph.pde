pde Telegraph "Telegraph equation"

space   x in [0, 1]
time    t in [0, 5]
unknown u(x, t) : scalar

∂²u/∂t² + 2 ∂u/∂t + u = ∂²u/∂x²
u(x, 0) = sin(π x) + sin(3π x)
∂u/∂t(x, 0) = 0
u = 0 on boundary
