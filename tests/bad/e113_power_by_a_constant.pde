pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const σ² = 1e300
∂u/∂t = Δu
u(x, 0) = 3^σ sin(π x)
u = 0 on boundary
