pde Heat
space x in R^2
time t in [0, 1]
const c = ∂u/∂x
const a = [Δu, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = 1
