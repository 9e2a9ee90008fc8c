pde Heat
space x in [0, 1]
time t in [0, 1]
const k = 1
unknown u(x, t, k) : scalar
∂u/∂t = Δu
