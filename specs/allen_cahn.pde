# Phase separation with thin interfaces: hard for networks, easy for a Fourier method.
pde AllenCahn "Allen-Cahn equation"

space   x in [-1, 1] periodic
time    t in [0, 1]
unknown u(x, t) : scalar

∂u/∂t = 1e-4Δu + 5u - 5u³
u(x, 0) = x² cos(π x)

realize equation by grid(n=512)
