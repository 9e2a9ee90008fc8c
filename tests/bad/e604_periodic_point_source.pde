pde P
space x in [0, 1] periodic
unknown u(x) : scalar
-Δu + u = δ(x - ½)
