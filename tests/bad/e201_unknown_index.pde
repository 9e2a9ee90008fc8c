pde Plane
space (x, y) in R^2
time t in [0, 1]
unknown u(x, y, t) : scalar
u(x, y, 0) = exp(-x² - y²)
learn v(x, y) : vector = mlp
∂u/∂t = v[i] u
