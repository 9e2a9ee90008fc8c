"""Integrator and steps of evolution operators with known coefficients: accurate by default, fixed if stated."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.config.methods import Fixed
from pdedsl.ir.plan import OperatorPlan
from pdedsl.numerics.butcher import EULER, HEUN, RK4
from pdedsl.runtime import EvolutionOperator

HEAD = "pde P\nspace (x, y) in R²\ntime t in [0, 3]\nunknown u(x, y, t) : scalar\n"
LINE = "pde P\nspace x in R\ntime t in [0, 2]\nunknown u(x, t) : scalar\n"
ROTATION = HEAD + "∂u/∂t = -y ∂u/∂x + x ∂u/∂y + 0.01Δu\nu(x, y, 0) = exp(-(x - 1)² - y²)\n"
POINTS = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-0.8, 0.3]], dtype=torch.float64)


def plan_of(text: str) -> OperatorPlan:
    plan = pdedsl.compile(text).operator_plan
    assert isinstance(plan, OperatorPlan)
    return plan


def operator(text: str, samples: int = 1) -> EvolutionOperator:
    made = pdedsl.compile(text).operator(samples=samples).double()
    assert isinstance(made, EvolutionOperator)
    return made


def bump(x: Tensor) -> Tensor:
    return torch.exp(-((x[..., 0] - 1) ** 2) - x[..., 1] ** 2)


def test_rotation_with_diffusion() -> None:
    """A Gaussian that is rotated by 3 rad and widened to the variance ½ + 2νt, at 3 standard errors."""
    made = operator(ROTATION, 20_000)
    angle = torch.tensor(3.0).double()
    turn = torch.stack([torch.stack([angle.cos(), -angle.sin()]), torch.stack([angle.sin(), angle.cos()])])
    ends, width = POINTS @ turn.T, 1 + 4 * 0.01 * 3.0
    expected = torch.exp(-((ends[:, 0] - 1) ** 2 + ends[:, 1] ** 2) / width) / width
    estimate = made.estimate(bump, POINTS, 3.0)
    assert bool(((estimate.mean - expected).abs() < 3 * estimate.standard_error + 1e-4).all())


def test_rotation_without_diffusion() -> None:
    text = HEAD + "∂u/∂t = -y ∂u/∂x + x ∂u/∂y\nu(x, y, 0) = x\n"
    assert plan_of(text).scheme.method == RK4
    values = operator(text)(lambda x: x[..., 0], POINTS, 3.0)
    expected = math.cos(3) * POINTS[:, 0] - math.sin(3) * POINTS[:, 1]
    torch.testing.assert_close(values, expected, rtol=0, atol=1e-4)


def test_velocity_that_depends_on_x() -> None:
    """u_t = sin(x) u_x: tan(X/2) = e^t tan(x/2)."""
    x = torch.linspace(-2, 2, 7, dtype=torch.float64)[:, None]
    values = operator(LINE + "∂u/∂t = sin(x) ∂u/∂x\nu(x, 0) = x\n")(lambda x: x[..., 0], x, 2.0)
    torch.testing.assert_close(values, 2 * torch.atan(math.exp(2) * torch.tan(x[:, 0] / 2)), rtol=0, atol=1e-4)


@pytest.mark.parametrize("space", ["x in R", "x in R^d", "x in R^3"])
def test_ornstein_uhlenbeck(space: str) -> None:
    """dX = -X dt + dB from x: mean e^{-2} x exactly, and variance (1 - e^{-4})/2, at 4 standard errors."""
    text = LINE.replace("x in R", space) + "∂u/∂t = -x·∇u + ½Δu\nu(x, 0) = ‖x‖²\n"
    text = text.replace("x·∇u", "x ∂u/∂x").replace("‖x‖²", "x²") if space == "x in R" else text
    assert plan_of(text).scheme.method == HEUN
    made, x = operator(text, 20_000), torch.full((1, 3 if "3" in space else 1), 1.5, dtype=torch.float64)
    estimate = made.estimate(lambda x: x[..., 0] ** 2, x, 2.0)
    expected = 1.5**2 * math.exp(-4) + (1 - math.exp(-4)) / 2
    assert abs(float(estimate.mean) - expected) < 4 * float(estimate.standard_error) + 1e-4


def test_weak_order_two() -> None:
    """The mean of the Ornstein-Uhlenbeck process by antithetic paths, free of noise: errors fall by 4 with the step."""
    errors = []
    for steps in (8, 16, 32):
        made = EvolutionOperator(lambda x, t: -x, 0.5, dt=2 / steps, scheme="heun", samples=2, antithetic=True)
        mean = made(lambda x: x[..., 0], torch.ones(1, 1, dtype=torch.float64), 2.0)
        errors.append(abs(float(mean) - math.exp(-2)))
    assert [round(math.log2(a / b)) for a, b in pairwise(errors)] == [2, 2]


def test_a_smaller_tolerance_has_smaller_steps() -> None:
    assert plan_of(ROTATION + "solve { tolerance 1e-2 }\n").step > 4 * plan_of(ROTATION).step


@pytest.mark.parametrize("stated", ["realize time by euler(steps=7)", "realize time by heun(steps=7)"])
def test_stated_integrators_are_kept(stated: str) -> None:
    plan = plan_of(ROTATION + stated + "\n")
    assert plan.step == 3 / 7 or float(plan.step) == pytest.approx(3 / 7)
    assert plan.scheme.name == stated.split()[3].partition("(")[0]


def test_learned_fields_keep_the_default() -> None:
    plan = plan_of(HEAD + "learn v(x, y) : vector = mlp\n∂u/∂t = v·∇u + 0.01Δu\nu(x, y, 0) = x\n")
    assert plan.scheme == Fixed(method=EULER, steps=10)


def test_explosive_characteristics_keep_the_default() -> None:
    """X' = X³ ends at t = 1/(2x²)."""
    assert plan_of(LINE + "∂u/∂t = x³ ∂u/∂x\nu(x, 0) = exp(-x²)\n").scheme == Fixed(method=EULER, steps=10)


def test_explain_names_the_steps() -> None:
    assert "paths per point: steps of 3/256 by the method stochastic heun" in str(
        pdedsl.explain(pdedsl.parse(ROTATION))
    )
    heat = LINE + "∂u/∂t = ∂²u/∂x²\nu(x, 0) = exp(-x²)\n"
    assert "one exact step, as the coefficients are constant" in str(pdedsl.explain(pdedsl.parse(heat)))


LEARNED = """pde P
space (x, y) in R²
time t in [0, 3]
unknown u(x, y, t) : simplex(2)
learn v(x, y, t) : vector = mlp
learn W : operator = linear
∂u/∂t = [-y, x]·∇u + v·∇u
u(x, y, 0) = softmax(W [x, y])
"""


def test_long_steps_for_the_known_part_of_an_equation_with_learned_fields() -> None:
    """Ten steps of Euler's method lengthen a vector by (1 + 0.09)^5 in a rotation by 3 rad."""
    text = str(pdedsl.compile(f"{LEARNED}realize time by euler(steps=10)\n").explanation)
    assert "warning: without the learned fields 10 steps of euler have an error of" in text
    needed = int(text.split("write realize time by euler(steps=")[1].split(")")[0])
    assert needed > 100
    assert "warning" not in str(pdedsl.compile(f"{LEARNED}realize time by euler(steps={needed})\n").explanation)
    assert "warning" not in str(pdedsl.compile(f"{LEARNED}realize time by rk4(steps=10)\n").explanation)
    still = LEARNED.replace("[-y, x]·∇u + ", "")
    assert "warning" not in str(pdedsl.compile(f"{still}realize time by euler(steps=2)\n").explanation)
