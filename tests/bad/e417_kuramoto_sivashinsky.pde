pde KS
space x in [0, 10]
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -u ∂u/∂x - ∂²u/∂x² - ∂⁴u/∂x⁴
u(x, 0) = cos(x)
