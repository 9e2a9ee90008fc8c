pde P
space r in spherical [0, 1]
unknown u(r) : scalar
-Δu = 1
u(0) = 0
u(1) = 0
