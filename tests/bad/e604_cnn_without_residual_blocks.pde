pde Noisy "noise needs residual blocks"
space   x in image(1, 28, 28)
time    t in [0, 1]
unknown u(x, t) : simplex(10)
learn   v(x, t) : vector   = cnn
learn   W       : operator = linear
∂u/∂t = v·∇u + 0.1Δu
u(x, 0) = softmax(W x)
