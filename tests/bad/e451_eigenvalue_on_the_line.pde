pde P
space x in R
unknown u(x) : scalar
unknown λ : eigenvalue
-Δu + x² u = λ u
