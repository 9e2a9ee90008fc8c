pde P
space x in [0, 1]
unknown u(x) : scalar
u = 1 + int(0, 1, u, 2 x)
