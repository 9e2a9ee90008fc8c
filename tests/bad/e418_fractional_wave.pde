pde P
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂²u/∂t² = (-Δ)^½ u
u(x, 0) = sin(2π x)
∂u/∂t(x, 0) = 0
