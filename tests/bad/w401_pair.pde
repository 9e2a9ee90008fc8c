pde Net
space x in pixels
time t in [0, 5]
unknown Y(x, t) : channels
unknown Z(x, t) : channels
learn K(t) : operator, ‖K‖ ≤ 3 = conv(3)
learn L(t) : operator, ‖L‖ ≤ 1 = conv(3)
∂Y/∂t = Kᵀ tanh(K Z)
∂Z/∂t = -Lᵀ tanh(L Y)
realize time by verlet(steps=5)
network {
  input image(1, 28, 28)
  open 16
  stages [16]
  classes 10
}
