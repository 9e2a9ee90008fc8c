pde Wide
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(width=65536, depth=2)
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
