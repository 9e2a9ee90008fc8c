pde Memory
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu - ∫₀ᵗ u(x, s) ds
u(x, 0) = sin(2π x)
