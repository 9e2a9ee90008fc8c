pde P
space x in [0, 1]
unknown u(x) : scalar
∫₀¹ exp(x s) u(s) ds = 1
