"""Small experiments that train in a second or two."""

from __future__ import annotations

MOONS = """
pde Moons "Transport on the plane"
space   x in R²
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=16, depth=2)
learn   W       : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
realize time by euler(steps=4)
train {
  data      moons(train=200, test=200, noise=0.2)
  epochs    10
  batch     50
  optimizer adam(lr=1e-2)
}
"""

NOISY = """
pde Noisy "Transport and diffusion on the plane"
space   x in R²
time    t in [0, 1]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=16, depth=2)
learn   W       : operator = linear
∂u/∂t = v·∇u + 0.02 Δu
u(x, 0) = softmax(W x)
realize time by euler(steps=4)
realize diffusion by noise(members=2, samples=2)
train {
  data      moons(train=200, test=100, noise=0.2)
  epochs    3
  batch     50
  optimizer adam(lr=1e-2)
}
"""

RESIDUAL = """
pde Residual "Transport, then diffusion as a residual"
space   x in R²
time    t in [0, 2]
unknown u(x, t) : simplex(2)
learn   v(x, t) : vector   = mlp(width=16, depth=2)
learn   W       : operator = linear
∂u/∂t = v·∇u    for t in [0, 1]
∂u/∂t = 0.2 Δu  for t in [1, 2]
u(x, 0) = softmax(W x)
realize diffusion by residual(weight=0.05)
train {
  data      moons(train=200, test=100, noise=0.2)
  epochs    3
  batch     50
  optimizer sgd(lr=0.1, momentum=0.9, weight_decay=5e-4)
}
"""

HEAT = """
pde Heat "A network, and the heat equation for it"
space   x in R²
time    t in [0, 1]
unknown f(x, t) : simplex(2)
learn   base(x) : simplex(2) = mlp(width=16, depth=2)
∂f/∂t = 0.01 Δf
f(x, 0) = base(x)
realize diffusion by retraining(steps=2, weight=0.5, probes=2, delta=0.1)
train {
  data      moons(train=200, test=100, noise=0.2)
  epochs    2
  batch     50
  optimizer adam(lr=1e-2)
}
"""

SMOOTHED = """
pde Smoothed "Noise on the input, many draws, batch norms, and shares of 15 and 16 rows"
space   x in image(1, 8, 8)
time    t in [0, 2]
unknown u(x, t) : simplex(10)
learn   v(x, t) : vector   = convnet(layers=1)
learn   W       : operator = linear
∂u/∂t = v·∇u      for t in [0, 1]
∂u/∂t = 0.01 Δu   for t in [1, 2]
u(x, 0) = softmax(W x)
realize diffusion by sampling(samples=30)
train {
  data      digits(train=93, test=50)
  epochs    1
  batch     31
  optimizer sgd(lr=0.05)
}
"""

SMOOTH_DIGITS = """
pde SmoothDigits "Diffusion as a residual, for a network with batch norms"
space   x in image(1, 8, 8)
time    t in [0, 2]
unknown u(x, t) : simplex(10)
learn   v(x, t) : vector   = convnet(layers=2)
learn   W       : operator = linear
∂u/∂t = v·∇u      for t in [0, 1]
∂u/∂t = 0.01 Δu   for t in [1, 2]
u(x, 0) = softmax(W x)
realize diffusion by residual(weight=0.01)
train {
  data      digits(train=200, test=100)
  epochs    1
  batch     40
  optimizer sgd(lr=0.05)
}
"""

DIGITS = """
pde Digits "A small residual network on handwritten digits"
space   x in image(1, 8, 8)
time    t in [0, 1]
unknown u(x, t) : simplex(10)
learn   v(x, t) : vector   = convnet(layers=2)
learn   W       : operator = linear
∂u/∂t = v·∇u
u(x, 0) = softmax(W x)
train {
  data      digits(train=400, test=200)
  epochs    2
  batch     40
  optimizer sgd(lr=0.1, momentum=0.9)
}
"""

ODE = """
pde Ode "A neural ODE on digits"
space   x in pixels
time    t in [0, 1]
unknown Y(x, t) : channels
learn   f(Y, t) : channels = convnet(layers=1)
∂Y/∂t = f(Y, t)
realize time by dopri5(rtol=1e-2, atol=1e-2)
network {
  input   image(1, 8, 8)
  open    4
  stages  [4, 4]
  classes 10
}
train {
  data      digits(train=60, test=40)
  epochs    2
  batch     30
  optimizer sgd(lr=0.1)
}
"""
STIFF = ODE.replace("= f(Y, t)", "= 1e30 f(Y, t)")
