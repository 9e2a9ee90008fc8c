# PINNacle, HInv: the diffusivity a(x, y) from values of the solution.
pde InverseHeat "Heat equation, an unknown diffusivity from measurements"

space   (x, y) in [-1, 1]²
time    t in [0, 1]
unknown u(x, y, t) : scalar
learn   a(x, y)    : scalar > 0 = mlp(width=16, depth=2)
let     s(x, y) = sin(π x) sin(π y)
let     g(x, y) = cos(π x)² sin(π y)² + sin(π x)² cos(π y)²

∂u/∂t = ∇·(a∇u) + exp(-t) (-s(x, y) + 2π² s(x, y) (2 + s(x, y)) - π² g(x, y))
u(x, y, 0) = s(x, y)
u = 0 on boundary
a = 2 on boundary
observe u from npz("inverse_heat.npz")
