pde Bad
space x in [-π, π] periodic
time t in [0, 1]
unknown ψ(x, t) : complex
const c = 1 + 2i
∂ψ/∂t = c Δψ
ψ(x, 0) = exp(i x)
