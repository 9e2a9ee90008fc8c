pde Waves

space   x in [0, 1]
time    t in [0, 1]
unknown h(x, t) : scalar
unknown q(x, t) : scalar

∂h/∂t + ∂q/∂x = 0
∂q/∂t + ∂h/∂x = 0
h(x, 0) = 1
q(x, 0) = 0
q = 0 on left
