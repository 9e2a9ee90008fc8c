# PINNacle, NS 2d-C: the velocity of the lid is 4x (1 - x).
pde CavitySmooth "Lid-driven cavity with a parabolic lid velocity, Re = 100"

space   (x, y) in [0, 1]²
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
const   ν = 0.01

v·∇v = -∇p + νΔv
∇·v = 0
v = [4x (1 - x), 0] on top
v = [0, 0] on left, right, bottom
