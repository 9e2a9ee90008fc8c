pde Bad
space x in [-π, π] periodic
time t in [0, 1]
unknown ψ(x, t) : vector(1), complex
i ∂ψ/∂t = -Δψ
ψ(x, 0) = exp(i x)
