pde Features
space   x in pixels
time    t in [0, 1]
unknown Y(x, t) : channels
∂³Y/∂t³ = -Y
∂Y/∂t(x, 0) = 0
∂²Y/∂t²(x, 0) = 0
network {
  input   image(1, 8, 8)
  open    8
  stages  [8]
  classes 10
}
