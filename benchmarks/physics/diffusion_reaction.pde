# DeepXDE.
pde DiffusionReaction "Diffusion equation with four modes in its source"

space   x in [-π, π]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = ∂²u/∂x² + exp(-t) (3/2 sin(2x) + 8/3 sin(3x) + 15/4 sin(4x) + 63/8 sin(8x))
u(x, 0) = sin(x) + ½ sin(2x) + ⅓ sin(3x) + ¼ sin(4x) + 1/8 sin(8x)
u = 0 on boundary
