pde Mistake
space   x in R²
time    t in [0, 1]
unknown u(x, t) : scalar
unknown w(x, t) : scalar
∂u/∂t = Δu
∂w/∂t = Δw
u(x, 0) = 1
w(x, 0) = 2
