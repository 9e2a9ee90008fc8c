pde P
space (x, x) in R^2
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
