pde P
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
parameter ν in [0.01, 0.1]
∂u/∂t = ν Δu
u(x, 0) = exp(-x·x)
