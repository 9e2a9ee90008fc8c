# Inverse problem: the decay rate of an advected substance from 200 measurements with 1 % noise.
pde InverseDecay "Advection with decay, decay rate from measurements"

space   x in [0, 1] periodic
time    t in [0, 1]
unknown u(x, t) : scalar     = mlp(width=16, depth=2)
learn   λ       : scalar > 0 = 0.3

∂u/∂t + ∂u/∂x = -λ u
u(x, 0) = 2 + sin(2π x)
observe u from npz("inverse_decay.npz")

realize equation by pinn(points=400)
