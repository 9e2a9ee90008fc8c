pde P
space x in [0, 1]
unknown u(x) : complex
unknown v(x) : scalar
unknown λ : eigenvalue
-Δu + v = λ u
-Δv = λ v
u = 0 on boundary
v = 0 on boundary
