pde A
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : vector(2)
∂u₁/∂t = ∂²u₂/∂x²
u(x, 0) = [sin(2π x), 0]
