pde A
space (x, y) in [-1, 1]^2 where x² + y² < 1 - t
time t in [0, 0.5]
unknown u(x, y, t) : scalar
∂u/∂t = Δu
u = 0 on boundary
u(x, y, 0) = 0
