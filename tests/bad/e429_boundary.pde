pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -(-Δ)^½ u
u(x, 0) = sin(2π x)
u = 0 on boundary
