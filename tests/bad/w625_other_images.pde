pde A
space x in image(3, 32, 32)
time t in [0, 1]
unknown u(x, t) : simplex(10)
learn v(x, t) : vector = resnet(depth=20)
learn W : operator = linear
∂u/∂t + v·∇u = 0
u(x, 1) = softmax(W x)
train {
  data mnist
}
