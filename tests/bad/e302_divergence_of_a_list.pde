pde D
space x in R^d
time t in [0, 1]
unknown u(x, t) : scalar
const w = [1, 2]
∂u/∂t = Δu + div(w)
u(x, 0) = 0
