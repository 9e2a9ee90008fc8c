pde A
space (x, y) in [-1, 1]^2
unknown u(x, y) : scalar
Δu = 0
u = 0 on boundary
observe u from csv("a.csv")
