# The same field integrated by an adaptive solver, and by Euler steps of length 1.
pde NeuralODEMnist "A neural ODE and its Euler discretization on MNIST"

space   x in pixels
time    t in [0, 2]
unknown Y(x, t) : channels
learn   f(Y, t) : channels = convnet(layers=2)

∂Y/∂t = f(Y, t)

realize time by dopri5(rtol=1e-2, atol=1e-2)

network {
  input   image(1, 28, 28)
  stem    16
  stages  [16]
  classes 10
  frame   lipschitz(patch=4)
}

train {
  data      mnist(test=1000)
  steps     400
  batch     64
  optimizer adam(lr=4e-3)
  schedule  cosine(warmup=100)
}

evaluate {
  natural
  attack   pgd(eps=[0.2, 0.1], steps=20)
  audit    gradient_masking(samples=50)
  protocol stochastic(samples=50)
}

sweep {
  realize.time in [euler(steps=2), dopri5(rtol=1e-2, atol=1e-2)]
  train.seed in 0..2
}
