pde P
space x in R²
time t in [0, 1]
unknown u(x, t) : scalar
learn v(x, t) : vector = mlp(width=8, depth=2)
∂u/∂t = v·∇u
u(x, 0) = exp(-‖x‖²)
evaluate {
  reference grid(n=8, extent=4)
}
