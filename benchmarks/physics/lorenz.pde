# The system of DeepXDE's inverse problem, with its known coefficients.
pde Lorenz "Lorenz equations"

time    t in [0, 3]
unknown x(t) : scalar
unknown y(t) : scalar
unknown z(t) : scalar

dx/dt = 10 (y - x)
dy/dt = x (15 - z) - y
dz/dt = x y - 8/3 z
x(0) = -8
y(0) = 7
z(0) = 27
