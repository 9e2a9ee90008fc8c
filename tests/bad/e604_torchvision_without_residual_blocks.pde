pde Mistake
space   x in image(3, 32, 32)
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = torchvision("vgg11")
learn   W       : operator = linear
∂u/∂t = v·∇u + Δu
u(x, 0) = softmax(W x)
