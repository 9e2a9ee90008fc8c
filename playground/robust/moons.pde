# The classifier of the page on robustness: transport, then the Gaussian average of randomized smoothing.
pde SmoothedMoons "Half moons: transport, then diffusion of the decisions"

const   σ = 0.1
space   x in R²
time    t in [0, 2]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=24, depth=2)
learn   W       : operator = linear

∂u/∂t = v·∇u     for t in [0, 1]
∂u/∂t = ½σ²Δu    for t in [1, 2]
u(x, 0) = softmax(W x)

realize time by euler(steps=4)
realize diffusion by randomized_smoothing(samples=100)

train {
  data      moons(train=300, test=300, noise=0.2)
  epochs    200
  batch     50
  optimizer adam(lr=1e-2)
}

evaluate {
  natural
  certify randomized_smoothing(n0=100, n=10000, alpha=0.001)
}
