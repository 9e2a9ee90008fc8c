pde C
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
train {
  data moons
  regularize smooth_in_time(1e-3), weights(1e-3)
}
