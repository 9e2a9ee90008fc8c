# Heun's method, ½f(Y) + ½f(Y + h f(Y)). FractalNet's rule is the same without the identity maps.
pde FractalNet "FractalNet as a step of Heun (natural-robustness paper, eq. 19 and 20)"

space   x in pixels
time    t in [0, 3]
unknown Y(x, t) : channels
learn   f(Y, t) : channels = convnet(layers=2)

∂Y/∂t = f(Y, t)

realize time by heun(steps=3)

network {
  input   image(1, 28, 28)
  stem    16
  stages  [16, 32]
  classes 10
}
