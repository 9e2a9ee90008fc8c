pde P
space (x, y) in [-1, 1]² where x² + y² < 1
unknown u(x, y) : scalar
-Δu = ∫_Ω u dx
u = 1 on boundary
