pde Obstacle "Membrane over an obstacle"

space   (x, y) in [-1, 1]² where x² + y² < 1
unknown u(x, y) : scalar
let     ψ = ½ - x² - y²

min(-Δu, u - ψ) = 0
u = 0 on x² + y² = 1
