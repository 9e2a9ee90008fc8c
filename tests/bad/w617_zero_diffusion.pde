pde A
const σ = 0
space x in image(1, 8, 8)
time t in [0, 1]
unknown u(x, t) : simplex(10)
learn v(x, t) : vector = resnet(depth=20)
learn W : operator = linear
∂u/∂t + v·∇u + ½σ²Δu = 0
u(x, 1) = softmax(W x)
realize diffusion by noise(members=2)
evaluate {
  certify randomized_smoothing
}
