pde Net
space x in pixels
time t in [0, 9]
unknown Y(x, t) : channels
learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)
∂Y/∂t = -2Kᵀ sigmoid(K Y) - Y
network {
  input image(1, 28, 28)
  open 16
  stages [16]
  classes 10
}
