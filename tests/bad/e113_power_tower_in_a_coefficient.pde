pde Tower
space x in R²
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = exp(exp(exp(exp(exp(9))))) Δu
u(x, 0) = 0
