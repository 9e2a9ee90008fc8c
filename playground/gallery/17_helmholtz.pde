pde Helmholtz "Helmholtz equation: a source in a room with absorbing wall"
space (x, y) in [0, 1]²
unknown u(x, y) : scalar
const k = 12 in [1, 24]

Δu + k² u = -exp(-80 ((x - 0.3)² + (y - 0.5)²))
∂u/∂n + u = 0 on right
u = 0 on left, bottom, top

realize equation by grid(n=40)
