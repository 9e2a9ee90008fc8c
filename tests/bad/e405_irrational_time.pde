pde Heat
space x in R²
time t in [0, 2π]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 2^(1/3)) = 0
