pde P
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -(-Δ)^½ u
u(x, 0) = sin(2π x)
exact u = exp(-4π² t) sin(2π x)
