pde Features
space   x in pixels
time    t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -u
network {
  input   image(1, 8, 8)
  open    8
  stages  [8]
  classes 10
}
