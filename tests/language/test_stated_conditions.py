"""Conditions as people state them: a value at a point of a circle, of a learned function, a pressure at an outlet."""

from __future__ import annotations

import pytest
import torch

import pdedsl
from pdedsl.api import parse
from pdedsl.diagnostics import PdeError
from pdedsl.ir.boundary import LevelSet
from pdedsl.ir.plan import SolvePlan

CIRCLE = "pde A\nspace x in [-1, 1] periodic\nunknown u(x) : scalar\n∂²u/∂x² = -π² sin(π x)\n"
CHANNEL = """pde A
space   (x, y) in [0, 2] * [0, 1]
unknown v(x, y) : vector(2)
unknown p(x, y) : scalar
v·∇v = -∇p + 0.01Δv
∇·v = 0
v = [y (1 - y), 0] on left
v = [0, 0] on bottom, top
"""
ROD = """pde A
space   x in [0, 1]
unknown u(x) : scalar
learn   a(x) : scalar > 0 = mlp(width=4, depth=1)
∂/∂x (a ∂u/∂x) = -1
u(0) = 0
u(1) = 0
a = 2 on left
"""


def codes(text: str) -> list[str]:
    with pytest.raises(PdeError) as caught:
        pdedsl.compile(text)
    return [d.code for d in caught.value.diagnostics]


def conditions(text: str) -> tuple[object, ...]:
    plan = pdedsl.compile(text).plan
    assert isinstance(plan, SolvePlan)
    return tuple((c.place, tuple(r.expr for r in c.residuals)) for c in plan.problem.conditions)


def test_value_at_a_point_of_a_circle() -> None:
    by_argument, by_equation = conditions(CIRCLE + "u(-1) = 0\n"), conditions(CIRCLE + "u = 0 on x = -1\n")
    assert by_argument == by_equation
    assert isinstance(by_argument[0][0], LevelSet)  # type: ignore[index]
    points = torch.linspace(-1, 1, 9, dtype=torch.float64)[:, None]
    solution = pdedsl.solve(CIRCLE + "u(½) = 3\n")
    # sin(πx) + 2 to rounding: least squares with features that contain the solution.
    torch.testing.assert_close(solution(points).detach(), torch.sin(torch.pi * points) + 2, atol=1e-9, rtol=0)


def test_point_outside_a_circle() -> None:
    assert codes(CIRCLE + "u(3) = 0\n") == ["E405"]


def test_line_of_a_torus_is_no_boundary() -> None:
    torus = CIRCLE.replace("x in [-1, 1]", "(x, y) in [-1, 1]²").replace("u(x)", "u(x, y)")
    assert codes(torus + "u(-1, y) = 0\n") == ["E405"]


def test_value_of_a_learned_function() -> None:
    plan = pdedsl.compile(ROD).plan
    assert isinstance(plan, SolvePlan)
    assert len(plan.problem.conditions) == 3
    solution = pdedsl.solve(ROD, set=["realize.equation=pinn(points=40)", "train.steps=30"])
    # 30 steps of Gauss-Newton reach about 1e-6; before training, a(0) is about 1.
    assert solution.learned("a", [[0.0]]).item() == pytest.approx(2, abs=1e-2)


def test_pressure_closes_an_outflow() -> None:
    assert codes(CHANNEL) == ["E417"]
    assert len(parse(CHANNEL + "p = 0 on right\n").conditions) == 3


@pytest.mark.parametrize("method", ["pinn", "random_features", "grid(n=16)"])
def test_collocation_refuses_natural_conditions(method: str) -> None:
    with pytest.raises(PdeError, match="only the pressure is prescribed"):
        pdedsl.solve(CHANNEL + "p = 0 on right\n", set=[f"realize.equation={method}"])
