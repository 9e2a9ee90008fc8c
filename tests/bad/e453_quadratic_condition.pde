pde P
space x in [0, 1]
unknown u(x) : scalar
unknown λ : eigenvalue
-Δu = λ u
u = 0 on left
∂u/∂x = λ² u on right
