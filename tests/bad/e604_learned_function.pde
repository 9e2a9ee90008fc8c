pde K
space x in [0, 1]
unknown u(x) : scalar
learn k(x) : scalar > 0 = mlp
∇·(k∇u) = 1
u = 0 on boundary
