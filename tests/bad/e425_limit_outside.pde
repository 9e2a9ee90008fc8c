pde P
space x in [0, 1]
unknown u(x) : scalar
u = 1 + ½ ∫₀² u(s) ds
