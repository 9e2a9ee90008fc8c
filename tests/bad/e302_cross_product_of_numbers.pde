pde P
space (x, y) in [0, 1]^2
unknown E(x, y) : vector(2)
unknown u(x, y) : scalar
∇×(∇×E) + E = [1, 0]
-Δu = 0
u = 0 on boundary
cross(n, u) = 0 on boundary
