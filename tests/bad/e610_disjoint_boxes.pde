pde Moons
space   x in R²
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp
learn   W       : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
train {
  data      moons
  constrain W in [-1, 1], W in [2, 3]
}
