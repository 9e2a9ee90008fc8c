# Real and imaginary part of the wave function: a superposition of two states of a particle in a box.
pde Schroedinger "Schroedinger equation as a real system"

space   x in [0, 1]
time    t in [0, 0.5]
unknown u(x, t) : scalar
unknown v(x, t) : scalar

∂u/∂t = -½ ∂²v/∂x²
∂v/∂t = ½ ∂²u/∂x²
u(x, 0) = sin(π x) + sin(2π x)
v(x, 0) = 0
u = 0 on boundary
v = 0 on boundary
exact u = sin(π x) cos(π² t/2) + sin(2π x) cos(2π² t)
exact v = -sin(π x) sin(π² t/2) - sin(2π x) sin(2π² t)
