pde Pair
space   x in pixels
time    t in [0, 1]
unknown Y(x, t) : channels
unknown Z(x, t) : channels
learn   f(Z, t) : channels = convnet
learn   g(Y, t) : channels = convnet
∂Y/∂t = f(Z, t)
∂Z/∂t = g(Y, t)
network {
  input   image(1, 8, 8)
  open    7
  stages  [7]
  classes 10
}
