pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
learn c : scalar > 0
parameter ν in [0.01, 0.1]
∂u/∂t = ν Δu - c u
observe u from npz("points.npz")
u(x, 0) = sin(π x)
u = 0 on boundary
