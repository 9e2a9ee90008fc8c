pde Periodic
space (x, y) in [0, 1]^2 periodic
unknown u(x, y) : scalar
-Δu + u = sin(2π x)
realize equation by elements
