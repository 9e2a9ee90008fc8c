pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu + δ(t - ½)
u(x, 0) = 0
u = 0 on boundary
