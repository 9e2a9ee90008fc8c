pde BurgersBreaking "Inviscid Burgers equation, a smooth wave breaks"

space   x in [0, 1] periodic
time    t in [0, 0.4]
unknown u(x, t) : scalar

∂u/∂t + u ∂u/∂x = 0
u(x, 0) = ½ + sin(2π x)
