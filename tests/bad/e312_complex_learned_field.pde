pde Bad
space x in [-π, π] periodic
time t in [0, 1]
unknown ψ(x, t) : complex
learn κ(x) : complex = mlp
∂ψ/∂t = i κ Δψ
ψ(x, 0) = exp(i x)
