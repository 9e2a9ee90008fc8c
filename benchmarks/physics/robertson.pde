pde Robertson "Robertson's stiff chemical kinetics"

time    t in [0, 100]
unknown a(t) : scalar
unknown b(t) : scalar
unknown c(t) : scalar

da/dt = -0.04a + 1e4 b c
db/dt = 0.04a - 1e4 b c - 3e7 b²
dc/dt = 3e7 b²
a(0) = 1
b(0) = 0
c(0) = 0
