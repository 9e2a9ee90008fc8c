pde Heat
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
learn k : scalar > 0 = mlp(width=8, depth=2)
∂u/∂t = k Δu
u(x, 0) = sin(π x)
u = 0 on boundary
observe u from npz("points.npz")
