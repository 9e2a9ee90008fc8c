pde P
space x in image(1, 8, 8)
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = resnet(depth=20)
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
evaluate {
  natural
  plot decision_boundary
}
