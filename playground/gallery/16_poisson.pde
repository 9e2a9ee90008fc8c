pde Poisson "Poisson equation: a charge in a grounded box"
space (x, y) in [0, 1]²
unknown u(x, y) : scalar
const a = 0.3 in [0.1, 0.9]
const b = 0.6 in [0.1, 0.9]

-Δu = 100 exp(-50 ((x - a)² + (y - b)²))
u = 0 on boundary

realize equation by grid(n=48)
