pde Advection "Linear advection, periodic"

space   x in [0, 1] periodic
time    t in [0, 10]
unknown u(x, t) : scalar

∂u/∂t + ∂u/∂x = 0
u(x, 0) = exp(-100 sin(π (x - ½))²)
