pde Two "what the whole lacks"
space x in [0, 1]
time t in [0, 1]
unknown u(x, t) : scalar
unknown w(x, t) : scalar
∂u/∂t = Δu
