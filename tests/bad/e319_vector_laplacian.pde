pde P
space (r, θ) in polar [1, 2] * [0, 2π]
unknown v(r, θ) : vector
-Δ(v) + ∇(∇·v) = 0
v = 0 on boundary
