pde Heat
space x in R^2
time t in [0, 1]
const c = Σᵢ 2
unknown u(x, t) : scalar
∂u/∂t = c Δu
u(x, 0) = 1
