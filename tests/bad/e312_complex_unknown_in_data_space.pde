pde Bad
space x in R^2
time t in [0, 1]
unknown ψ(x, t) : complex
i ∂ψ/∂t = -Δψ
ψ(x, 0) = exp(-‖x‖²)
