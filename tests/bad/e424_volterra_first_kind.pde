pde P
space x in [0, 1]
unknown u(x) : scalar
∫₀ˣ exp(x - s) u(s) ds = x
