pde Features
space x in pixels
time t in [0, 1]
network {
  input image(1, 8, 8)
  open 4
  stages [4]
  classes 2
}
