pde P
space (r, θ) in spherical [1, 2] * [0, 2π]
unknown u(r, θ) : scalar
-Δu = 1
u = 0 on boundary
