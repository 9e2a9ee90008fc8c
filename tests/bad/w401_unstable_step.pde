pde Net
space x in pixels
time t in [0, 30]
unknown Y(x, t) : channels
learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)
∂Y/∂t = -Kᵀ tanh(K Y)
realize time by euler(steps=3)
network {
  input image(1, 28, 28)
  open 16
  stages [16]
  classes 10
}
