pde AllenCahn "Allen-Cahn equation: phase separation"
space x in [-1, 1] periodic
time t in [0, 2]
unknown u(x, t) : scalar
const D = 0.01 in [0.004, 0.05]

∂u/∂t = D Δu + 4 u - 4 u³
u(x, 0) = 0.6 sin(π x) + 0.4 cos(3π x)

realize equation by grid(n=128)
