pde Turning
space (x, y) in R²
time t in [0, 1]
unknown u(x, y, t) : scalar
const c = (1, 2)
let v(x, y) = (-y, max(x, 0))
∂u/∂t = (v + c)·∇u
u((x, y), 0) = exp(-x² - y²)
