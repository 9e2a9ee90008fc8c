pde KdV "Korteweg-de Vries equation: two solitons"
space x in [-8, 8] periodic
time t in [0, 0.6]
unknown u(x, t) : scalar
const a = 4 in [2, 6]
const b = 2 in [1, 3]

∂u/∂t + 6 u ∂u/∂x + ∂³u/∂x³ = 0
u(x, 0) = ½a/cosh(½√a (x + 4))² + ½b/cosh(½√b x)²

realize equation by grid(n=96)
