pde Study
const σ² = 0.2
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp
learn W : operator = linear
∂u/∂t = v·∇u + σ²Δu
u(x, 0) = softmax(W x)
train {
  data moons
}
sweep {
  σ² in [0.1, -0.1]
  train.sed in 0..4
}
