pde Bad
space (x, y, z) in [0, 1]^3
unknown B(x, y, z) : vector
∇*(∇×B) = 0
B = 0 on boundary
