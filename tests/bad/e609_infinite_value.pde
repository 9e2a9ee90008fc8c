pde Flow
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(3)
learn W : operator = linear
∂u/∂t = 1e300*1e300*(x·∇u)
u(x, 0) = softmax(W x)
