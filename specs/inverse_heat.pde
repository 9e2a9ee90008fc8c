# Inverse problem: an unknown conductivity from 200 measurements with 1 % noise.
pde InverseHeat "Heat equation, conductivity from measurements"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar     = mlp(width=16, depth=2)
learn   κ       : scalar > 0 = 0.5

∂u/∂t = κΔu
u(x, 0) = sin(π x)
u = 0 on boundary
observe u from npz("inverse_heat.npz")

realize equation by pinn(points=400)
