# Heun's method: half of the map, half of the map after the map. FractalNet's rule is this without the identities.
pde FractalNet "FractalNet as a step of Heun (natural-robustness paper, eq. 19 and 20)"

space   x in pixels
time    t in [0, 3]
unknown Y(x, t) : channels
learn   f(Y, t) : channels = convnet(layers=2)

∂Y/∂t = f(Y, t)

realize time by heun(steps=3)

network {
  input   image(1, 28, 28)
  open    16
  stages  [16, 32]
  classes 10
}
