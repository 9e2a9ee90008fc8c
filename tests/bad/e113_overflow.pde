pde Flow
space (x, y) in R^2
time t in [0, 1]
const σ = 1e300
unknown u(x, y, t) : simplex(3)
learn W : operator = linear
∂u/∂t = ½σ²Δu
u(x, y, 1) = softmax(W [x, y])
