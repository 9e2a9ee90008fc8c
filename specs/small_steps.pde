# Step size as a design choice: here δt = 1/4, four residual blocks per unit of time instead of one. The
# time interval stays the same: set steps=3, 6, 12, 24, … to see the effect of the step size.
pde SmallSteps "Euler with steps of 1/4 (natural-robustness paper, section 3.3)"

space   x in pixels
time    t in [0, 3]
unknown Y(x, t) : channels
learn   f(Y, t) : channels = convnet(layers=2)

∂Y/∂t = f(Y, t)

realize time by euler(steps=12)

network {
  input   image(1, 28, 28)
  stem    16
  stages  [16, 32]
  classes 10
}
