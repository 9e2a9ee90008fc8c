# A disc of conductivity 10 in a medium of conductivity 1.
pde Interface "Conduction with a discontinuous coefficient"

space   (x, y) in [-1, 1]²
unknown u(x, y) : scalar
let     κ(x, y) = 1 + 9 heaviside(0.25 - x² - y²)

∇·(κ(x, y)∇u) = 0
u = x - (9/44) x/(x² + y²) on boundary
