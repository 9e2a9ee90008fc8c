pde Advection "Advection and diffusion of a pulse"
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
const a = 1 in [-2, 2]
const ν = 0.002 in [0.0005, 0.02]

∂u/∂t + a ∂u/∂x = νΔu
u(x, 0) = exp(-100 (x - 0.5)²)

realize equation by grid(n=128)
