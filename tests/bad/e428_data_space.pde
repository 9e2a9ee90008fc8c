pde P
space x in R
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu + δ(x)
u(x, 0) = 0
