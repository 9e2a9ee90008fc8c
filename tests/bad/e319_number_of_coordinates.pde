pde P
space (r, θ, z) in polar [0, 1] * [0, 1] * [0, 1]
unknown u(r, θ, z) : scalar
-Δu = 1
u = 0 on boundary
