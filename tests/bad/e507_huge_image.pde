pde Flow
space x in image(3, 60000, 60000)
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = resnet(20)
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
