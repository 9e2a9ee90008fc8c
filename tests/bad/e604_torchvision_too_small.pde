pde Mistake
space   x in image(3, 28, 28)
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = torchvision("vgg11")
learn   W       : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
