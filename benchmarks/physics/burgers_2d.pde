# PINNacle. The random initial velocity is replaced by a gradient, for which the Hopf-Cole transform gives the solution.
pde Burgers2D "Viscous Burgers equations in two dimensions"

space   (x, y) in [0, 4]² periodic
time    t in [0, 1]
unknown u(x, y, t) : vector(2)
const   ν = 0.001
let     a(x) = 0.2 sin(π x/2)
let     b(y) = 0.15 cos(π y/2)
let     c(x, y) = 0.1 sin(π (x + y)/2)

∂u/∂t + u·∇u = νΔu
u(x, y, 0) = [0.3 + a(x) + c(x, y), 0.1 + b(y) + c(x, y)]
