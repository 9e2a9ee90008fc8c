# PINNacle, Wave 2d-CG. The table of the wave speed is replaced by a formula.
pde WaveHeterogeneous "Wave equation in a heterogeneous medium"

space   (x, y) in [-1, 1]²
time    t in [0, 5]
unknown u(x, y, t) : scalar
let     c(x, y) = 1 + ½ cos(π x) cos(π y)

∂²u/∂t² = c(x, y)Δu
u(x, y, 0) = exp(-((x + 0.5)² + y²)/0.18)
∂u/∂t(x, y, 0) = 0
∂u/∂n = 0 on boundary
