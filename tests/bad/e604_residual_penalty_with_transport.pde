pde Moons
space   x in R²
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp
learn   W       : operator = linear
∂u/∂t = v·∇u + 0.1 Δu
u(x, 0) = softmax(W x)
realize diffusion by residual
