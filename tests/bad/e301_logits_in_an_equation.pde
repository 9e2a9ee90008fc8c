pde Heat
space x in R²
time t in [0, 1]
unknown u(x, t) : scalar
learn K : operator = linear
∂u/∂t = Δu + K u
u(x, 0) = 0
