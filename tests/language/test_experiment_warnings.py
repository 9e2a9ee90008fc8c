"""Warnings about the experiment: attacks that are weak by their parameters, classes without data, heat smoothing."""

from __future__ import annotations

import pytest

import pdedsl

SPEC = """pde A
space x in image(1, 8, 8)
time t in [0, 1]
unknown u(x, t) : simplex({classes})
learn v(x, t) : vector = resnet(depth=20)
learn W : operator = linear
∂u/∂t + v·∇u = 0
u(x, 1) = softmax(W x)
train {{
  data {data}
  adversary pgd(eps={eps})
}}
evaluate {{
  attack {attack}
}}
"""
DEFAULTS = {"classes": 10, "data": "digits", "eps": "8/255", "attack": "pgd(eps=0.3, step=0.01, steps=30)"}


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({}, []),
        ({"attack": "pgd(eps=0.3, step=0.01, steps=29)"}, ["W621"]),
        ({"attack": "ifgsm(eps=[0.1, 0.4], step=0.01, steps=30)"}, ["W621"]),
        ({"attack": "pgd(eps=0.4, steps=3)"}, []),
        ({"attack": "fgsm(eps=1)"}, []),
        ({"attack": "fgsm(eps=8)"}, ["W622"]),
        ({"attack": "fgsm(norm=2, eps=8)"}, []),
        ({"eps": "8"}, ["W622"]),
        ({"classes": 11}, ["W623"]),
        ({"data": "cifar100", "classes": 100}, ["W625"]),
        ({"data": 'npz("own.npz")', "classes": 3}, []),
    ],
)
def test_warnings(changes: dict[str, object], codes: list[str]) -> None:
    assert [w.code for w in pdedsl.parse(SPEC.format(**DEFAULTS | changes)).warnings] == codes


def test_suggested_number_of_steps_is_the_least() -> None:
    (warning,) = pdedsl.parse(SPEC.format(**DEFAULTS | {"attack": "pgd(eps=0.3, step=0.07, steps=4)"})).warnings
    assert "steps × step = 0.28, less than ε = 0.3" in warning.message
    assert warning.hint.startswith("use steps=5 or more")


HEAT = """pde Heat
space x in R^2
time t in [0, 1]
unknown f(x, t) : simplex(2)
learn base(x) : simplex(2) = mlp(width=16, depth=2)
∂f/∂t = 0.01 Δf
f(x, 0) = base(x)
realize diffusion by {method}
"""


@pytest.mark.parametrize(
    ("method", "codes"),
    [
        ("heat_smoothing", []),
        ("heat_smoothing(start=fresh)", []),
        ("heat_smoothing(form=variational)", ["W624"]),
        ("heat_smoothing(weight=5)", ["W624"]),
    ],
)
def test_variational_heat_smoothing(method: str, codes: list[str]) -> None:
    assert [w.code for w in pdedsl.parse(HEAT.format(method=method)).warnings] == codes


def test_arguments_of_the_other_form() -> None:
    with pytest.raises(pdedsl.PdeError, match="it belongs to form=variational"):
        pdedsl.compile(HEAT.format(method="heat_smoothing(form=regression, weight=5)"))
