pde P
space x in [0, 1]
unknown u(x) : complex
unknown λ : eigenvalue
-Δu + conj(u) = λ u
u = 0 on boundary
