pde P
space (x, y, z) in R^2
time t in [0, 1]
unknown u(x, y, z, t) : scalar
∂u/∂t = Δu
u(x, y, z, 0) = 0
