"""Every implicit-explicit record: order, stability function, stiff linear parts, the compiled block."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.numerics.butcher import IMEX, ImexRungeKutta
from pdedsl.runtime.ode.explicit import TimeGrid
from pdedsl.runtime.ode.imex import ImexIntegrator
from pdedsl.testing import equation

records = pytest.mark.parametrize("method", IMEX.values(), ids=lambda m: m.name)
DOUBLE = torch.float64


def end_error(method: ImexRungeKutta, reaction: float, count: int) -> float:
    """y′ = cy + N(t, y) with y = 2 + sin t and a nonlinear N."""

    def field(j: int, t: object, y: Tensor) -> Tensor:
        assert isinstance(t, float)
        exact = 2 + math.sin(t)
        return math.cos(t) + reaction * (y - exact) - (y**2 - exact**2) / 4

    start = torch.tensor([2.0], dtype=DOUBLE)
    end = ImexIntegrator(method, reaction).integrate(field, start, TimeGrid(0.0, 2.0, count))
    return abs(float(end) - 2 - math.sin(2.0))


@records
def test_order(method: ImexRungeKutta) -> None:
    order = math.log2(end_error(method, -3.0, 80) / end_error(method, -3.0, 160))
    assert order == pytest.approx(method.order, abs=0.15)


@records
def test_a_stiff_linear_part_does_not_limit_the_step(method: ImexRungeKutta) -> None:
    assert end_error(method, -1e6, 20) < 0.1
    explicit = ImexIntegrator(method, 0.0)  # the same field, all of it explicit
    y = explicit.integrate(lambda j, t, y: -1e6 * y, torch.ones(1, dtype=DOUBLE), TimeGrid(0.0, 2.0, 20))
    assert not float(y.abs()) < 1e6


@records
def test_a_step_multiplies_by_the_stability_function(method: ImexRungeKutta) -> None:
    """y′ = cy + wy with the matrix of a complex number w; R(c, 0) has a limit below 1 for c → -∞."""
    for c, w in ((-0.5, 0.3 + 1j), (-30.0, -2.0 + 0.5j)):
        matrix = torch.tensor([[c + w.real, w.imag], [-w.imag, c + w.real]], dtype=DOUBLE)
        start = torch.tensor([[1.0, 0.0]], dtype=DOUBLE)
        end = ImexIntegrator(method, c).integrate(lambda j, t, y, m=matrix: y @ m, start, TimeGrid(0.0, 1.0, 1))
        expected = sum(r * w**k for k, r in enumerate(method.stability(c)))
        assert complex(*end[0]) == pytest.approx(expected, abs=1e-12)
    assert abs(method.stability(-1e9)[0]) < 1e-8  # L-stable


@records
def test_tableaux_have_the_same_nodes(method: ImexRungeKutta) -> None:
    assert tuple(map(sum, method.matrix)) == pytest.approx(method.nodes)
    assert sum(method.weights) == pytest.approx(1)
    assert sum(method.explicit_weights) == pytest.approx(1)


SPEC = """pde Features
space   x in pixels
time    t in [0, 1]
unknown Y(x, t) : channels
learn   K(t) : operator, ‖K‖ ≤ 1 = conv(3)
∂Y/∂t = -Kᵀ relu(K Y) - 2Y
realize time by {}(steps=3)
network {{
  input   image(1, 8, 8)
  stem    8
  stages  [8]
  classes 10
}}
"""


@records
def test_compiled_block(method: ImexRungeKutta) -> None:
    """The generated block agrees with the reference steps of `pdedsl test`."""
    compilation = pdedsl.compile(SPEC.format(method.name))
    equation.assert_holds(compilation)
    assert f"{method.label}(-2.0)" in compilation.files()["model.py"]


def test_an_equation_without_linear_part_is_refused() -> None:
    with pytest.raises(pdedsl.PdeError, match="whose term c Y is implicit"):
        pdedsl.compile(SPEC.format("ars222").replace(" - 2Y", ""))
