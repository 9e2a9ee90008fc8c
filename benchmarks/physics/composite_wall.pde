pde CompositeWall "Heat conduction through a wall of two materials"

space   x in [0, 1]
time    t in [0, 2]
unknown u(x, t) : scalar
let     κ(x) = 1 - 0.9 heaviside(x - 0.5)

∂u/∂t = ∂/∂x (κ(x) ∂u/∂x)
u(x, 0) = 0
u(0, t) = 1 - exp(-20t)
u(1, t) = 0
