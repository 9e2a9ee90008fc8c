# An inverse problem: 200 measurements with 1 % noise, and a conductivity that is not known.
pde InverseHeat "Heat equation, and its conductivity from measurements"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar     = mlp(width=16, depth=2)
learn   κ       : scalar > 0 = 0.5

∂u/∂t = κΔu
u(x, 0) = sin(π x)
u = 0 on boundary
observe u from npz("inverse_heat.npz")

realize equation by residual(points=400)
