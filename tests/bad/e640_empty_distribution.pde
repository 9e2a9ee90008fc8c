pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
random ν ~ uniform(2, 1)
∂u/∂t = ν Δu
u(x, 0) = sin(π x)
u = 0 on boundary
