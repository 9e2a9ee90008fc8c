pde P
space (x, y) in R²
time t in [0, 1]
unknown u(x, y, t) : scalar
∂u/∂t = Δu
u(x, y, 0) = exp(-x² - y²)
evaluate {
  reference grid(n=16)
  plot solution
}
