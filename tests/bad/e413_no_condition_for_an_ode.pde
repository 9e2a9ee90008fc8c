pde A
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
unknown v(x, t) : scalar
∂u/∂t = Δu - v
∂v/∂t = u - v
u = 0 on boundary
v = 0 on boundary
u(x, 0) = 0
v(x, 0) = 0
