# A residual network of depth 8 with noise after each block, and without it, trained on PGD examples.
pde EnResNetFashion "EnResNet on Fashion-MNIST with adversarial training (Wang, Yuan, Shi, Osher 2020)"

space   x in image(1, 28, 28)
time    t in [0, 1]
unknown u(x, t) : simplex(10)
learn   v(x, t) : vector   = resnet(depth=8, width=8)
learn   W       : operator = linear
const   σ = 0.1

∂u/∂t + v·∇u + ½σ²Δu = 0
u(x, 1) = softmax(W x)

realize diffusion by noise(members=1, scale=relative)

train {
  data      fashion_mnist(test=1000)
  steps     400
  batch     64
  optimizer adamw(lr=1e-2)
  schedule  cosine(warmup=120)
  adversary pgd(eps=0.1, steps=3)
}

evaluate {
  natural
  attack   ifgsm(eps=0.1, steps=20, eot=5)
  audit    none
  protocol stochastic(samples=50)
}

sweep {
  σ in [0, 0.1]
  train.seed in 0..2
}
