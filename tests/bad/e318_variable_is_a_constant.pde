pde P
space x in [0, 1]
unknown u(x) : scalar
const a = ½
u = 1 + int(0, 1, a u, a)
