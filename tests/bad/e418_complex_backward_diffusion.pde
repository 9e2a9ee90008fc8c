pde Bad
space x in [-π, π] periodic
time t in [0, 1]
unknown ψ(x, t) : complex
∂ψ/∂t = -(1 + i) Δψ
ψ(x, 0) = exp(i x)
