pde Heat "Heat equation on a ring"
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
const ν = 0.005 in [0.001, 0.05]
∂u/∂t = νΔu
u(x, 0) = sin(2π x) + sin(6π x)/2
