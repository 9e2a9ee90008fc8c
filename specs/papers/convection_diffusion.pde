# A small network with and without the residual of the diffusion; settings chosen on held-out training images.
pde ConvectionDiffusionFashion "Residual penalty of the diffusion on Fashion-MNIST (Wang, Tao, Bao, Shi, section 4)"

space   x in image(1, 28, 28)
time    t in [0, 2]
unknown u(x, t) : simplex(10)
learn   v(x, t) : vector   = cnn
learn   W       : operator = linear
const   σ² = 0.2

∂u/∂t = v·∇u    for t in [0, 1]
∂u/∂t = σ²Δu    for t in [1, 2]
u(x, 0) = softmax(W x)

realize diffusion by residual_penalty(weight=0.5, h=0.1, probes=1, times=[1], jitter=0.1)

train {
  data      fashion_mnist(test=1000)
  steps     2600
  batch     64
  optimizer adamw(lr=4e-3, weight_decay=5e-4)
  schedule  cosine(warmup=700)
  clip      1
}

evaluate {
  natural
  attack  pgd(eps=[0.05, 0.1], steps=20), autoattack(eps=0.1)
  audit   gradient_masking(samples=100)
}

sweep {
  σ² in [0, 0.2]
  train.seed in 0..2
}
