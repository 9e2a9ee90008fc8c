pde Bratu "Bratu problem: combustion, with no solution for large λ"
space (x, y) in [0, 1]²
unknown u(x, y) : scalar
const λ = 4 in [0, 6.5]

-Δu = λ exp(u)
u = 0 on boundary

realize equation by grid(n=24)
