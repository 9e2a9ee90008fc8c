pde A
space x in R^2 where ‖x‖ < 1
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = Δu
u(x, 0) = 1
