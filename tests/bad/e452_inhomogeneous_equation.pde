pde P
space x in [0, 1]
unknown u(x) : scalar
unknown λ : eigenvalue
-Δu = λ u + x
u = 0 on boundary
