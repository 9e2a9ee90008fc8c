pde HeatIncompatible "Heating of a cold rod: the data do not match at t = 0"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = ∂²u/∂x²
u(x, 0) = 0
u(0, t) = 1
∂u/∂x(1, t) = 0
