pde P
space x in [0, 1]
unknown u(x) : scalar
unknown λ : eigenvalue
parameter a in [1, 2]
-a Δu = λ u
u = 0 on boundary
