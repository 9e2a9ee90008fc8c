pde Features
space   x in pixels
time    t in [0, 2]
unknown Y(x, t) : channels
∂Y/∂t = -Y  for t in [0, 1]
∂Y/∂t = -2Y for t in [1, 2]
network {
  input   image(1, 8, 8)
  open    8
  stages  [8]
  classes 10
}
