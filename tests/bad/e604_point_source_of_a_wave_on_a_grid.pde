pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
∂²u/∂t² = Δu + δ(x - ½)
u(x, 0) = 0
∂u/∂t(x, 0) = 0
u = 0 on boundary
realize equation by grid
