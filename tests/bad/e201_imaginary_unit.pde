pde Bad
space x in [-π, π] periodic
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = i Δu
u(x, 0) = sin(x)
