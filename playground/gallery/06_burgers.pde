pde Burgers "Viscous Burgers equation: a wave that steepens"
space x in [-1, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
const ν = 0.03 in [0.01, 0.1]

∂u/∂t + u ∂u/∂x = νΔu
u(x, 0) = -sin(π x)

realize equation by grid(n=256)
