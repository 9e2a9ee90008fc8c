pde Heat
space x in R^2
time t in [0, 1]
const A = [[1, 0], [0, x[1]²]]
unknown u(x, t) : scalar
∂u/∂t = A:∇∇u
u(x, 0) = 1
