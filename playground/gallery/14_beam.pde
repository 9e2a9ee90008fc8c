pde Beam "A clamped beam on an elastic foundation"
space x in [0, 1]
unknown u(x) : scalar
const k = 100 in [0, 2000]
const q = 5 in [1, 20]

∂⁴u/∂x⁴ + k u = q exp(-20 (x - 0.3)²)
u = 0 on boundary
∂u/∂n = 0 on boundary

realize equation by grid(n=48)
