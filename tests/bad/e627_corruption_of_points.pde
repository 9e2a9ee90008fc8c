pde P
space x in R²
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(width=8, depth=2)
learn W : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
evaluate {
  corrupt gaussian_noise(std=0.1), fog(severity=3)
}
