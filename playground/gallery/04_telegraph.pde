pde Telegraph "A damped wave in a duct with open and closed end"
space x in [0, 1]
time t in [0, 2]
unknown u(x, t) : scalar
const c = 1 in [0.5, 1.5]
const k = 1 in [0, 4]

∂²u/∂t² + k ∂u/∂t = c² Δu
u(x, 0) = cos(2π x) - cos(3π x)/2
∂u/∂t(x, 0) = 0
∂u/∂n = 0 on boundary

realize equation by grid(n=64)
