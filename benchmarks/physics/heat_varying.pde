# PINNacle, Heat 2d-VC. The table of the diffusivity is replaced by a formula.
pde HeatVarying "Heat equation with a variable coefficient and an oscillating source"

space   (x, y) in [0, 1]²
time    t in [0, 5]
unknown u(x, y, t) : scalar
let     a(x, y) = 1 + ½ sin(2π x) sin(2π y)

∂u/∂t = ∇·(a(x, y)∇u) + 200 sin(π x) sin(5π y) sin(π t)
u(x, y, 0) = 0
u = 0 on boundary
