# The Allen-Cahn equation of Raissi et al. 2019 with five times sharper interfaces than DeepXDE's.
pde AllenCahnPeriodic "Stiff Allen-Cahn equation, periodic"

space   x in [-1, 1] periodic
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = 1e-4 ∂²u/∂x² + 5u - 5u³
u(x, 0) = x² cos(π x)
