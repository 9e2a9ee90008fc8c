pde K
space x in [0, 1]
unknown u(x) : scalar
learn v(x) : vector = mlp
Δu + v·∇u = 1
u = 0 on boundary
observe u from npz("points.npz")
