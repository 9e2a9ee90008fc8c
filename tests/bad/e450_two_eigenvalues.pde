pde P
space x in [0, 1]
unknown u(x) : scalar
unknown λ : eigenvalue
unknown μ : eigenvalue
-Δu = λ u + μ x u
u = 0 on boundary
