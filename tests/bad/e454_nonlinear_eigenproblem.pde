pde P
space x in [0, 1]
unknown u(x) : scalar
unknown λ : eigenvalue
-Δu + u³ = λ u
u = 0 on boundary
