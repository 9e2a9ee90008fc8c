pde BurgersRiemann "Inviscid Burgers equation, a shock"

space   x in [-1, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t + ∂(½u²)/∂x = 0
u(x, 0) = heaviside(-x)
u = 1 on left
