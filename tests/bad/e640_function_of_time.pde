pde P
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
parameter f(t) from gaussian_process(length=0.2, modes=3)
∂u/∂t = Δu + f(t)
u(x, 0) = sin(π x)
u = 0 on boundary
