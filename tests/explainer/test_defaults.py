"""Defaults in the explanation: those of options that affect the network, and no others."""

from __future__ import annotations

import pytest
from texts import shipped

from pdedsl.compiler import to_analysis, to_spec
from pdedsl.diagnostics import Source
from pdedsl.explainer.defaults import defaults

PIXELS = """pde P
space x in pixels
time t in [0, 1]
unknown Y(x, t) : channels
learn K : operator = conv(3)
∂Y/∂t = -Kᵀ relu(K Y)
"""
PLANE = """pde P
space x in R^2
time t in [0, 1]
unknown u(x, t) : simplex(2)
learn v(x, t) : vector = mlp(8, 1, tanh)
learn W : operator = linear
∂u/∂t = v·∇u + Δu
u(x, 0) = softmax(W x)
"""
SCALAR = PLANE.replace("simplex(2)", "scalar").replace("softmax(W x)", "1").replace("learn W : operator = linear\n", "")
NO_CONVECTION = PLANE.replace("v·∇u + ", "").replace("learn v(x, t) : vector = mlp(8, 1, tanh)\n", "")
IMAGE = PLANE.replace("R^2", "image(1, 8, 8)").replace("mlp(8, 1, tanh)", "resnet(20)")
EULER = "time by euler: steps=10"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (PIXELS, ["time by euler: steps=3"]),
        (PIXELS + "realize time by backward_euler\n", ["time by backward_euler: steps=3, terms=2"]),
        (PIXELS + "realize time by rk4(steps=7)\n", []),
        (PIXELS + "realize time by dopri5(1e-3, 1e-3, norm=batch)\n", ["time by dopri5: adjoint=false"]),
        (PLANE, [EULER]),
        (PLANE + "realize time by euler(4)\n", []),
        (PLANE + "realize diffusion by noise(1, 1)\n", [EULER, "diffusion by noise: scale=exact, kind=gaussian"]),
        (
            PLANE + "realize diffusion by noise(1, 4, relative)\n",
            [EULER, "diffusion by noise: kind=gaussian, across=sample, average=probabilities"],
        ),
        (
            PLANE + "realize diffusion by noise(2, 4, exact, gaussian)\n",
            [EULER, "diffusion by noise: average=probabilities, weights=equal, training=joint"],
        ),
        (SCALAR + "realize diffusion by noise\n", [EULER, "diffusion by noise: scale=exact, kind=gaussian"]),
        (NO_CONVECTION, []),
        (IMAGE, ["v = resnet(depth=20, width=16)"]),
        (PLANE.replace("(8, 1, tanh)", "(8)"), [EULER, "v = mlp(width=8, depth=4, activation=tanh)"]),
        (
            shipped("burgers"),
            ["equation by pinn: causal=0", "u = mlp(width=20, depth=8, activation=tanh)"],
        ),
    ],
)
def test_defaults(text: str, lines: list[str]) -> None:
    assert defaults(to_analysis(to_spec(Source(text)))) == lines
