pde Smoothed
space x in R^2
time t in [0, 2]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(width=8)
learn W : operator = linear
∂u/∂t = v·∇u for t in [0, 1]
∂u/∂t = 0.1 Δu for t in [1, 2]
u(x, 0) = softmax(W x)
realize diffusion by randomized_smoothing
train {
  data moons
  epochs 1
  batch 32
  optimizer sgd(lr=0.1)
  augment gaussian(0.1)
}
