pde Elliptic
space x in R
time t in [0, 1]
unknown u(x, t) : scalar
∂²u/∂t² = -Δu
u(x, 0) = exp(-x²)
∂u/∂t(x, 0) = 0
