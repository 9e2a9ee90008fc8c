pde P
space x in [0, 1]
unknown u(x) : scalar
unknown λ : eigenvalue
-Δu = λ u
u = 1 on left
u = 0 on right
