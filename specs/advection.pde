# Advection on a periodic interval: after one period the initial profile returns.
pde Advection "Advection at a constant speed"

space   x in [0, 1] periodic
time    t in [0, 1]
unknown u(x, t) : scalar
const   c = 1

∂u/∂t + c ∂u/∂x = 0
u(x, 0) = exp(sin(2π x))
exact u = exp(sin(2π (x - c t)))
