# DeepXDE.
pde AllenCahn "Allen-Cahn equation"

space   x in [-1, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = 0.001 ∂²u/∂x² + 5 (u - u³)
u(x, 0) = x² cos(π x)
u = -1 on boundary
