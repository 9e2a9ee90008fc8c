"""Templates of `pdedsl new`: classifiers of points and images, and initial-boundary value problems."""

from __future__ import annotations

from enum import StrEnum
from string import Template


class Purpose(StrEnum):
    POINTS = "points"
    IMAGES = "images"
    EQUATION = "equation"


# Data sets with space, number of classes and `data` entry; equations with initial conditions. The first is the default.
POINTS = {"moons": ("R²", 2, "moons"), "npz": ("R²", 2, 'npz("data.npz")')}
IMAGES = {
    "digits": ("image(1, 8, 8)", 10, "digits"),
    "mnist": ("image(1, 28, 28)", 10, "mnist"),
    "fashion_mnist": ("image(1, 28, 28)", 10, "fashion_mnist"),
    "cifar10": ("image(3, 32, 32)", 10, "cifar10"),
}
EQUATIONS = {
    "heat": ("∂u/∂t = 0.1 ∂²u/∂x²", "u(x, 0) = sin(π x)"),
    "wave": ("∂²u/∂t² = ∂²u/∂x²", "u(x, 0) = sin(π x)\n∂u/∂t(x, 0) = 0"),
    "burgers": ("∂u/∂t + u ∂u/∂x = 0.05 ∂²u/∂x²", "u(x, 0) = sin(π x)"),
}
SUBJECTS = {Purpose.POINTS: tuple(POINTS), Purpose.IMAGES: tuple(IMAGES), Purpose.EQUATION: tuple(EQUATIONS)}

_CLASSIFIER = Template("""\
# $comment
pde $name

space   x in $space
time    t in [0, 1]
unknown u(x, t) : simplex($classes)
learn   v(x, t) : vector   = $network
learn   W       : operator = linear
$constant
$equation
u(x, 0) = softmax(W x)
$realize
train {
  data      $data
  epochs    $epochs
  batch     64
  optimizer $optimizer
}

evaluate {
  natural
  attack  pgd(eps=$eps, steps=20)
$certify}
""")
_PHYSICAL = Template("""\
# Solve with: pdedsl solve $file -o run
pde $name

space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar

$equation
$initial
u = 0 on boundary
""")


def spec_from_template(name: str, purpose: Purpose, subject: str, noisy: bool) -> str:
    """The text of a spec called `name`; `noisy` adds a diffusion term, which becomes Gaussian noise in the network."""
    match purpose:
        case Purpose.EQUATION:
            equation, initial = EQUATIONS[subject]
            return _PHYSICAL.substitute(name=name, file=f"{name}.pde", equation=equation, initial=initial)
        case Purpose.POINTS:
            network, eps = "mlp(width=32, depth=3)", "0.2"
            space, classes, data = POINTS[subject]
            training = {"epochs": "50", "optimizer": "adam(lr=1e-2)"}
        case Purpose.IMAGES:
            network, eps = "resnet(depth=20)", "8/255"
            space, classes, data = IMAGES[subject]
            training = {"epochs": "5", "optimizer": "sgd(lr=0.1, momentum=0.9, weight_decay=5e-4)"}
    return _CLASSIFIER.substitute(
        training,
        name=name,
        comment=f"Train with: pdedsl train {name}.pde -o run",
        space=space,
        classes=classes,
        network=network,
        constant="const   σ = 0.2\n" if noisy else "",
        equation="∂u/∂t = v·∇u + ½σ²Δu" if noisy else "∂u/∂t = v·∇u",
        realize="\nrealize diffusion by noise(samples=4)\n" if noisy else "",
        data=data,
        eps=eps,
        certify="  certify randomized_smoothing(n0=100, n=1000, alpha=0.001)\n" if noisy else "",
    )
