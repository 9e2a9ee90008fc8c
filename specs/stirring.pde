# A known velocity field: a warm spot is advected in circles, and diffuses.
pde Stirring "Convection-diffusion in a rotating fluid"

const   ν = 0.01
space   (x, y) in [-1, 1]²
time    t in [0, 1]
unknown u(x, y, t) : scalar
let     v(x, y) = [-y, x]
let     s(t) = 0.1 + 4ν t
let     spot(x, y, t) = 0.1 exp(-((x - 0.5 cos(t))² + (y - 0.5 sin(t))²)/s(t))/s(t)

∂u/∂t + v·∇u = νΔu
u(x, y, 0) = spot(x, y, 0)
u = spot(x, y, t) on boundary
exact u = spot(x, y, t)
