pde P
space x in R
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = data("u0.npz")
