pde Stokes "Stokes flow with a body force"

space   (x, y) in [0, 1]²
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar

-Δv + ∇p = [2π² (1 - 2 cos(2π x)) sin(2π y) - π sin(π x) cos(π y), -2π² (1 - 2 cos(2π y)) sin(2π x) - π cos(π x) sin(π y)]
∇·v = 0
v = [0, 0] on boundary
