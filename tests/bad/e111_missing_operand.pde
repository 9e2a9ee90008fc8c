pde A
space (x, y) in [0, 1]^2 periodic
time t in [0, 1]
unknown u(x, y, t) : vector
∂u/∂t = (u·∇)
u(x, y, 0) = [sin(2π x), 0]
