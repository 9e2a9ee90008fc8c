# A narrow network of the architecture of section 5.
pde ParabolicCifar "Parabolic network on CIFAR-10 (Ruthotto, Haber 2018, Table 1)"

space   x in pixels
time    t in [0, 3]
unknown Y(x, t) : channels
learn   K(t)    : operator = conv(3)
let     N = tv_norm(eps=1e-3)

∂Y/∂t = -Kᵀ relu(N(K Y))

realize time by euler(steps=3)

network {
  input   image(3, 32, 32)
  stem    8
  stages  [8, 16, 32]
  classes 10
}

train {
  data      cifar10(test=2000)
  steps     600
  batch     64
  optimizer sgd(lr=0.1, momentum=0.9)
  schedule  cosine(warmup=100)
  augment   flip
}

evaluate {
  natural
  corrupt gaussian_noise(std=[0.05, 0.1, 0.2])
}

sweep {
  train.seed in 0..2
}
