pde Net
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn K : operator, ‖K‖ ≤ 1 = conv(3)
∂²Y/∂t² = -Kᵀ tanh(K Y)
∂Y/∂t(x, 0) = 0
realize time by heun(steps=8)
network {
  input image(1, 28, 28)
  open 16
  stages [16]
  classes 10
}
