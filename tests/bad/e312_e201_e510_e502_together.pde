pde Flow "one mistake in each part"
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplx(2)
learn v(x, t) : vector = mlp
learn W : operator = linear
const c = speed
∂u/∂t = c v·∇u
u(x, 0) = softmax(W x)
realize time by eular(steps=3)
train {
  epoch 3
}
