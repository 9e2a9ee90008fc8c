# Heat conduction from a measured temperature and in a measured material, both on grids of 41 points.
pde MeasuredHeat "Heat equation with values from a file"

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar
let     κ = data("measured_heat.npz", "conductivity")

∂u/∂t = ∂(κ ∂u/∂x)/∂x
u(x, 0) = data("measured_heat.npz")
u = 0 on boundary
