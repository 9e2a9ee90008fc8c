pde P
space (r, θ) in polar [0, 1] * [0, 2π]
unknown u(r, θ) : scalar
-Δu = 1
u = 0 on boundary
