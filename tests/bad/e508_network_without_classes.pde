pde Net
space x in pixels
time t in [0, 3]
unknown Y(x, t) : channels
learn K(t) : operator = conv(3)
∂Y/∂t = -Kᵀ relu(K Y)
network {
  input image(3, 32, 32)
  open 32
  stages [32]
}
