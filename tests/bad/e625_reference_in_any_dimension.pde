pde P
space x in R^d
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = exp(-‖x‖²)
evaluate {
  reference grid(n=8, extent=4)
}
