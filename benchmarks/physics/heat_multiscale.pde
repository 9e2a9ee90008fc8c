# PINNacle, Heat 2d-MS.
pde HeatMultiscale "Anisotropic heat equation with two scales"

space   (x, y) in [0, 1]²
time    t in [0, 5]
unknown u(x, y, t) : scalar

∂u/∂t = 1/(500π)² ∂²u/∂x² + 1/π² ∂²u/∂y²
u(x, y, 0) = sin(20π x) sin(π y)
u = 0 on boundary
