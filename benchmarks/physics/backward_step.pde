# PINNacle, NS 2d-CG: an inflow over a step, Re = 100.
pde BackwardStep "Flow over a backward-facing step"

space   (x, y) in polygon([[0, 0], [4, 0], [4, 2], [2, 2], [2, 1], [0, 1]])
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
const   ν = 0.01

v·∇v = -∇p + νΔv
∇·v = 0
v = [4y (1 - y), 0] on left
p = 0 on right
v = [0, 0] on boundary where x > 0, x < 4
