pde KdV
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -6u ∂u/∂x - ∂³u/∂x³
u(x, 0) = 0
u = 0 on boundary
∂u/∂x = 0 on left
