# Zabusky and Kruskal 1965.
pde KdV "Korteweg-de Vries equation"

space   x in [-1, 1] periodic
time    t in [0, 1]
unknown u(x, t) : scalar
const   δ = 0.022

∂u/∂t + u ∂u/∂x + δ² ∂³u/∂x³ = 0
u(x, 0) = cos(π x)
