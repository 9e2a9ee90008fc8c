pde Net
space x in pixels
time t in [0, 3]
unknown Y(x, t) : channels
learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)
∂Y/∂t = -Kᵀ tanh(K Y)
realize time by backward_euler(steps=2, terms=2)
network {
  input image(1, 28, 28)
  open 16
  stages [16]
  classes 10
}
