"""Templates of `pdedsl new`: classifiers of points and images, problems with a given or an unknown coefficient."""

from __future__ import annotations

from enum import StrEnum
from string import Template


class Purpose(StrEnum):
    POINTS = "points"
    IMAGES = "images"
    EQUATION = "equation"


# Data sets with space, number of classes and `data` entry; problems with their statements. The first is the default.
OWN_FILE = "npz"  # the subject of templates for a file of the user
POINTS = {"moons": ("R²", 2, "moons"), "npz": ("R²", 2, 'npz("data.npz")')}
IMAGES = {
    "digits": ("image(1, 8, 8)", 10, "digits"),
    "mnist": ("image(1, 28, 28)", 10, "mnist"),
    "fashion_mnist": ("image(1, 28, 28)", 10, "fashion_mnist"),
    "cifar10": ("image(3, 32, 32)", 10, "cifar10"),
    "npz": ("image(3, 32, 32)", 10, 'npz("data.npz")'),
    "network": ("image(3, 32, 32)", 10, "cifar10"),
}
NETWORKS = {"network": 'torch("mynet:Net")'}
FILES = {
    "npz": "data.npz has the arrays x and y, or x_train, y_train, x_test and y_test.",
    "network": "mynet.py has the class Net, which maps images (n, c, h, w) to logits (n, k); it needs --trust.",
    "inverse": "points.npz has the arrays x, t and u, each of length n.",
}
_INTERVAL = """\
space   x in [0, 1]
time    t in [0, 1]
unknown u(x, t) : scalar
"""
EQUATIONS = {
    "heat": f"""\
{_INTERVAL}
∂u/∂t = 0.1 ∂²u/∂x²
u(x, 0) = sin(π x)
u = 0 on boundary
""",
    "wave": f"""\
{_INTERVAL}
∂²u/∂t² = ∂²u/∂x²
u(x, 0) = sin(π x)
∂u/∂t(x, 0) = 0
u = 0 on boundary
""",
    "burgers": f"""\
{_INTERVAL}
∂u/∂t + u ∂u/∂x = 0.05 ∂²u/∂x²
u(x, 0) = sin(π x)
u = 0 on boundary
""",
    "poisson": """\
space   (x, y) in [0, 1]²
unknown u(x, y) : scalar

-Δu = 1
u = 0 on boundary
""",
    "shape": """\
space   (x, y) in [-1, 1]² where x² + y² > 0.09
unknown u(x, y) : scalar

-Δu = 0
u = 1 on left
u = 0 on right
∂u/∂n = 0 on bottom, top
∂u/∂n + 2u = 0 on x² + y² = 0.09
""",
    "polygon": """\
space   (x, y) in polygon([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]])
unknown u(x, y) : scalar

-Δu = 1
u = 0 on boundary
""",
    "inverse": f"""\
{_INTERVAL}learn   κ       : scalar > 0 = 0.5

∂u/∂t = κΔu
u(x, 0) = sin(π x)
u = 0 on boundary
observe u from npz("points.npz")
""",
}
SUBJECTS = {Purpose.POINTS: tuple(POINTS), Purpose.IMAGES: tuple(IMAGES), Purpose.EQUATION: tuple(EQUATIONS)}

_CLASSIFIER = Template("""\
$comment
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


def spec_from_template(name: str, purpose: Purpose, subject: str, noisy: bool) -> str:
    """The text of a spec called `name`; `noisy` adds a diffusion term, which becomes Gaussian noise in the network."""
    match purpose:
        case Purpose.EQUATION:
            head = _comments(f"Solve with: pdedsl solve {name}.pde -o run", subject)
            return f"{head}\npde {name}\n\n{EQUATIONS[subject]}"
        case Purpose.POINTS:
            network, eps = "mlp(width=32, depth=3)", "0.2"
            space, classes, data = POINTS[subject]
            training = {"epochs": "50", "optimizer": "adam(lr=1e-2)"}
        case Purpose.IMAGES:
            network, eps = NETWORKS.get(subject, "resnet(depth=20)"), "8/255"
            space, classes, data = IMAGES[subject]
            training = {"epochs": "5", "optimizer": "sgd(lr=0.1, momentum=0.9, weight_decay=5e-4)"}
    return _CLASSIFIER.substitute(
        training,
        name=name,
        comment=_comments(f"Train with: pdedsl train {name}.pde -o run{' --trust' * (subject in NETWORKS)}", subject),
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


def _comments(command: str, subject: str) -> str:
    return "\n".join(f"# {text}" for text in (command, FILES.get(subject)) if text)
