pde Darcy "Darcy flow, pressure and flux"

space   (x, y) in [0, 1]²
unknown q(x, y) : vector(2)
unknown p(x, y) : scalar
let     k(x, y) = exp(sin(2π x) cos(π y))

q = -k(x, y)∇p
∇·q = 1
p = 0 on left, right, bottom, top
