pde GrayScott
space (x, y) in [0, 1]^2
time t in [0, 1]
unknown u(x, y, t) : scalar
unknown v(x, y, t) : scalar
∂u/∂t = 2Δu - u v² + 1 - u
∂v/∂t = Δv + u v² - v
u(x, y, 0) = 1
v(x, y, 0) = 0
