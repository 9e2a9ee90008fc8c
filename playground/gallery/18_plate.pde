pde Plate "Cooling of a plate with an insulated side"
space (x, y) in [0, 1]²
time t in [0, 0.2]
unknown u(x, y, t) : scalar
const κ = 0.5 in [0.1, 1]
const h = 2 in [0, 10]

∂u/∂t = κΔu
u(x, y, 0) = 1 - (2 x - 1)^4 (2 y - 1)²
∂u/∂n + h u = 0 on left, right
∂u/∂n = 0 on bottom
u = 0 on top

realize equation by grid(n=20)
