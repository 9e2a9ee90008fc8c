pde P
space x in R
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = ∫₀ˣ u(s, t) ds
u(x, 0) = exp(-x²)
