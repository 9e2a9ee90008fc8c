pde Heat "several errors in one file"
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
const k = 0.1
let = 3
∂u/∂t = kk Δu
u(x, 0.5) = 0
u = 0 on boundary
