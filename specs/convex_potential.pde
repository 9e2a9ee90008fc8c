# The convex potential layer of Meunier et al. (2022) is an Euler step of the monotone equation with the largest stable step.
# Every layer of the architecture is 1-Lipschitz too: so are the logits, and their margin certifies an ℓ2 radius.
pde ConvexPotential "Convex potential layers: a certified radius for each image"

space   x in pixels
time    t in [0, 6]
unknown Y(x, t) : channels
learn   K(t)    : operator, ‖K‖ ≤ 1 = conv(3)

∂Y/∂t = -Kᵀ relu(K Y)

realize time by euler(steps=3)  # δt‖K‖² = 2
require stability

network {
  input   image(1, 28, 28)
  stem    16
  stages  [16]
  head    256
  classes 10
  frame   lipschitz(patch=4, dense=7)
}

train {
  data      fashion_mnist
  epochs    10
  batch     256
  optimizer adam(lr=0.003)
  schedule  cosine(warmup=1)
  loss      margin(eps=0.5)
}

evaluate {
  natural
  certify lipschitz
  attack  pgd(norm=2, eps=[¼, ½])
}
