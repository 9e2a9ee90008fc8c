pde Features
space   x in pixels
time    t in [0, 1]
unknown Y(x, t) : channels
learn   K(t) : operator = conv(3)
∂Y/∂t = -Kᵀ relu(K Y)
realize time by ars222(steps=3)
network {
  input   image(1, 8, 8)
  stem    8
  stages  [8]
  classes 10
}
