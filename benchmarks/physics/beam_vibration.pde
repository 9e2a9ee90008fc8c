pde BeamVibration "Vibration of a simply supported beam"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

∂²u/∂t² + ∂⁴u/∂x⁴ = 0
u(x, 0) = sin(π x) + ½ sin(2π x)
∂u/∂t(x, 0) = 0
u = 0 on boundary
∂²u/∂x² = 0 on boundary
