# PINNacle, Wave 2d-MS: its reference does not solve the equation.
pde Wave2D "Wave equation with a wrong exact solution"

space   (x, y) in [0, 1]²
time    t in [0, 100]
unknown u(x, y, t) : scalar

∂²u/∂t² = 2 ∂²u/∂x² + ∂²u/∂y²
u(x, y, 0) = sin(5π x) sin(3π y) + sin(π x) sin(10π y)
∂u/∂t(x, y, 0) = 0
u = 0 on boundary
exact u = sin(5π x) sin(3π y) cos(sqrt(52) π t) + sin(π x) sin(10π y) cos(sqrt(102) π t)
