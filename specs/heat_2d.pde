# Homogeneous Neumann conditions: an insulated plate.
pde Heat2D "Heat equation on an insulated plate"

space   (x, y) in [0, 1]²
time    t in [0, 1]
unknown u(x, y, t) : scalar
const   κ = 0.05

∂u/∂t = κΔu
u(x, y, 0) = 1 + cos(π x) cos(2π y)
n·∇u = 0 on boundary
exact u = 1 + exp(-5κ π² t) cos(π x) cos(2π y)
