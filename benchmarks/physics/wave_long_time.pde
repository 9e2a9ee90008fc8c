# The domain and the time of PINNacle's Wave 2d-MS, with a solution of the equation.
pde WaveLongTime "Anisotropic wave equation over a long time"

space   (x, y) in [0, 1]²
time    t in [0, 100]
unknown u(x, y, t) : scalar

∂²u/∂t² = ∂²u/∂x² + 2 ∂²u/∂y²
u(x, y, 0) = sin(5π x) sin(3π y) + sin(π x) sin(π y)
∂u/∂t(x, y, 0) = 0
u = 0 on boundary
