# The Gaussian average of a small network on Fashion-MNIST; settings chosen on held-out training images.
pde HeatSmoothingFashion "Deterministic Gaussian averages on Fashion-MNIST (Campbell, Finlay, Oberman 2020)"

space   x in image(1, 28, 28)
time    t in [0, 1]
unknown f(x, t) : simplex(10)
learn   base(x) : simplex(10) = cnn
const   σ = 0.5

∂f/∂t = ½σ²Δf
f(x, 0) = base(x)

realize diffusion by heat_smoothing

train {
  data      fashion_mnist(test=1000)
  steps     1000
  batch     128
  optimizer adam(lr=4e-3)
  schedule  cosine(warmup=300)
}

evaluate {
  natural
  certify randomized_smoothing(n0=100, n=1000, alpha=0.001)
  certify lipschitz
}

sweep {
  σ in [0.25, 0.5]
  train.seed in 0..2
}
