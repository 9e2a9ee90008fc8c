pde Points
space   x in R^2
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector = mlp
learn   W       : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
train {
  data moons
  loss trades(beta=6)
}
