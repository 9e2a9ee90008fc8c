pde P
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -(2 + sin(2π x)) (-Δ)^(3/2) u
u(x, 0) = sin(2π x)
