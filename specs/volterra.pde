# An equation with memory: the rate of change depends on all values to the left.
pde Volterra "Volterra integro-differential equation"

space   x in [0, 5]
unknown u(x) : scalar

∂u/∂x + u = ∫₀ˣ exp(s - x) u(s) ds
u(0) = 1
exact u = exp(-x) cosh(x)
