pde Plane
space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : scalar
u(x, y, 0) = exp(-x² - y²)
const A = [[1, 2], [3]]
∂u/∂t = A:∇∇u
