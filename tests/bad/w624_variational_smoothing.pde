pde A
space x in R^2
time t in [0, 1]
unknown f(x, t) : simplex(2)
learn base(x) : simplex(2) = mlp(width=16, depth=2)
∂f/∂t = 0.01 Δf
f(x, 0) = base(x)
realize diffusion by heat_smoothing(steps=3)
