pde Bad
space x in [-π, π] periodic
time t in [0, 1]
unknown ψ(x, t) : complex
∂ψ/∂t = i Δψ + ψ(x + i, t)
ψ(x, 0) = exp(i x)
