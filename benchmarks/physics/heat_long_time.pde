# PINNacle, Heat 2d-LT.
pde HeatLongTime "Heat equation with a nonlinear source over a long time"

space   (x, y) in [0, 1]²
time    t in [0, 100]
unknown u(x, y, t) : scalar

∂u/∂t = 0.001Δu + 5 sin(u²) (1 + 2 sin(π t/4)) sin(4π x) sin(2π y)
u(x, y, 0) = sin(4π x) sin(3π y)
u = 0 on boundary
