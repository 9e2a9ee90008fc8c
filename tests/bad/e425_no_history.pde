pde P
time t in [0, 3]
unknown u(t) : scalar
∂u/∂t = -u(t - 1)
u(0) = 1
