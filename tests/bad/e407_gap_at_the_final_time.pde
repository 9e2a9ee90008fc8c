pde Flow
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp
learn W : operator = linear
∂u/∂t = v·∇u for t in [0, 0.4]
∂u/∂t = Δu for t in [0.4, 0.9]
u(x, 0) = softmax(W x)
