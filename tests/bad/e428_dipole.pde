pde P
space x in [0, 1]
unknown u(x) : scalar
-Δu = ∂(δ(x - ½))/∂x
u = 0 on boundary
