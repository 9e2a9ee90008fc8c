# Ghia, Ghia and Shin 1982.
pde Cavity3200 "Lid-driven cavity, Re = 3200"

space   (x, y) in [0, 1]²
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
const   Re = 3200

v·∇v = -∇p + (1/Re)Δv
∇·v = 0
v = [1, 0] on top
v = [0, 0] on left, right, bottom
