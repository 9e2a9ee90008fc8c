# Transverse electric mode of a square cavity with perfectly conducting walls.
pde Maxwell "Maxwell's equations in two dimensions"

space   (x, y) in [0, 1]²
time    t in [0, 2]
unknown E(x, y, t) : vector(2)
unknown H(x, y, t) : scalar

∂E₁/∂t = ∂H/∂y
∂E₂/∂t = -∂H/∂x
∂H/∂t = ∂E₁/∂y - ∂E₂/∂x
E(x, y, 0) = [0, 0]
H(x, y, 0) = cos(2π x) cos(π y)
E₁ = 0 on bottom, top
E₂ = 0 on left, right
