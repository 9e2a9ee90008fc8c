pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
unknown λ : eigenvalue
∂u/∂t = Δu + λ u
u(x, 0) = sin(π x)
u = 0 on boundary
