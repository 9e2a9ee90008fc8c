# Homogeneous Dirichlet conditions: one eigenmode, with exponential decay.
pde Heat "Heat equation on an interval"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar
const   κ = 0.1

∂u/∂t = κΔu
u(x, 0) = sin(π x)
u = 0 on boundary
exact u = exp(-κ π² t) sin(π x)
