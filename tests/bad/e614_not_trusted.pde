pde Own
space x in image(1, 8, 8)
time t in [0, 1]
unknown u(x, t) : simplex(3)
learn v(x, t) : vector = torch("mypackage.module:Net", width=32)
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
