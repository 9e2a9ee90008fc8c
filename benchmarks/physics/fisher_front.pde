# Ablowitz and Zeppetella 1979.
pde FisherFront "Front of Fisher's equation"

space   x in [-5, 5]
time    t in [0, 1]
unknown u(x, t) : scalar
const   c = 5/sqrt(6)

∂u/∂t = ∂²u/∂x² + u (1 - u)
u(x, 0) = (1 + exp(x/sqrt(6)))^(-2)
u(-5, t) = (1 + exp((-5 - c t)/sqrt(6)))^(-2)
u(5, t) = (1 + exp((5 - c t)/sqrt(6)))^(-2)
