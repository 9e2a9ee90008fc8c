# PINNacle, HNd.
pde Heat5D "Heat equation on the unit ball in five dimensions"

space   x in [-1, 1]^5 where ‖x‖² < 1
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = (1/5)Δu - (1/5)‖x‖² exp(½‖x‖² + t)
u(x, 0) = exp(½‖x‖²)
∂u/∂n = exp(½ + t) on boundary
