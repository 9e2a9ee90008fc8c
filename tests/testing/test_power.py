"""Size and power of the moment tests."""

from __future__ import annotations

import re
from math import sqrt

import numpy as np
import pytest
import torch
from torch import Tensor

import pdedsl
from pdedsl.compiler import Compilation
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator, GeneratorCoefficients
from pdedsl.testing import axioms, equation
from pdedsl.testing.coefficients import CoefficientEvaluator
from pdedsl.testing.generator import GENERATOR
from pdedsl.testing.model import under_test
from pdedsl.testing.moment_tests import Finding, Moments, compare_tensors, z_threshold
from pdedsl.testing.operators import Data, operator_of
from pdedsl.testing.reference_steps import REFERENCE_METHODS, integrate_rk4
from pdedsl.testing.search import search
from pdedsl.testing.strategies import CosineSum, cases, seeded_coordinates
from pdedsl.testing.time_intervals import time_intervals
from testing.mutations import mutated
from testing.path_mutations import PATHS
from testing.small_specs import known, small

FAR = """pde Far
space x in R^20
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = -x·∇u + Σᵢ (0.1 + 0.1 sin(xᵢ)²) ∂²u/∂xᵢ² + ∂u/∂x₁₉
u(x, 0) = exp(-‖x‖²)
realize diffusion by noise(samples=64)
realize time by euler(steps=4)
"""

# ---- moments


def test_z_threshold() -> None:
    """1.96 for one variable at 5 %; by Bonferroni for twenty at 5 % it is that of one at 0.25 %."""
    assert z_threshold(1, 0.05) == pytest.approx(1.959964, abs=1e-5)
    assert z_threshold(20, 0.05) == pytest.approx(3.023341, abs=1e-5)


def test_false_positive_rate() -> None:
    """Of 2000 right samples about 5 % are called wrong at a rate of 5 %: 100 ± 10, so 50 to 150 is five of these."""
    source = torch.Generator().manual_seed(0)
    alarms = 0
    for _ in range(2000):
        w, moments = torch.randn(400, 3, generator=source, dtype=torch.float64), Moments()
        moments.add("mean", 0.0, w.mean(0), 1 / sqrt(400))
        alarms += not moments.finding("w", rate=0.05).ok
    assert 50 < alarms < 150


def test_power_for_a_shift_of_ten_standard_errors() -> None:
    moments = Moments()
    moments.add("mean", torch.zeros(3), torch.tensor([0.0, 0.5, 0.0]), 0.05)
    found = moments.finding("w")
    assert found.outcome == "violated"
    assert found.note.startswith("mean[2]: expected 0, found 0.5, z = 10.0")
    assert "false-positive rate 1e-06" in found.note


def test_nan_is_broken() -> None:
    moments = Moments()
    moments.add("mean", 0.0, torch.tensor([0.0, float("nan")]), 1.0)
    assert not moments.finding("w").ok
    assert not compare_tensors("w", "it", torch.zeros(2), torch.tensor([0.0, float("nan")])).ok


@pytest.mark.parametrize("error", [float("nan"), float("inf")])
def test_infinite_standard_error_is_broken(error: float) -> None:
    moments = Moments()
    moments.add("mean", 0.0, torch.zeros(2), 1.0)
    moments.add("variance", 0.0, torch.zeros(2), torch.tensor([1.0, error]))
    assert not moments.finding("w").ok


def test_failure_message() -> None:
    """The moment, both values, the z-score and the rate; and again the same with the same seed."""
    mistake = next(b for b in PATHS if b.name == "drift 20 % off in the operator")
    with mutated(mistake):
        first, again = (equation.check(small("known"), seed=3, of=(GENERATOR,)) for _ in range(2))
    assert first == again
    note = first[0].note
    assert re.match(r"E\[X - x\]/h at t = \S+, h = 0.25\[\d\]\[\d\]: expected \S+, found \S+, z = \d+\.\d", note)
    assert "false-positive rate 1e-06" in note


# ---- all coordinates


def test_cases_cover_every_coordinate() -> None:
    """Of a space of many dimensions, not the first three alone."""
    wave = CosineSum(0.0, ((1.0, 0.0, (0, 0, 0)),), seed=7)
    y = torch.zeros(20, 20, dtype=torch.float64)
    y[torch.arange(3, 20), torch.arange(3, 20)] = 1.0
    assert bool((wave(y)[3:] != wave(torch.zeros(1, 20, dtype=torch.float64))).all())
    assert bool((seeded_coordinates(7, 17) != 0).all())
    found = search(lambda case: bool((case.position(20)[0, 3:] != 0).all()), cases(20), 50, 0)
    assert found is not None


@pytest.fixture(scope="module")
def far() -> Compilation:
    return pdedsl.compile(FAR)


def test_original_passes_in_high_dimension(far: Compilation) -> None:
    assert [f for f in equation.check(far) if not f.ok] == []


@pytest.mark.parametrize("place", [0, 11, 18])
def test_error_in_one_of_many_coordinates_is_detected(
    place: int, far: Compilation, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = GeneratorCoefficients.velocity

    def wrong(self: GeneratorCoefficients, x: Tensor, t: float) -> Tensor:
        value = real(self, x, t).clone()
        value[..., place] *= 1.2
        return value

    monkeypatch.setattr(GeneratorCoefficients, "velocity", wrong)
    assert [f.ok for f in equation.check(far, of=(GENERATOR,))] == [False]


@pytest.mark.parametrize("place", [0, 18])
def test_an_axiom_is_broken_in_one_coordinate_of_many(
    place: int, far: Compilation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel with negative weights along one coordinate, of which the sum is one."""
    operator = operator_of(far, 0)
    assert axioms.falsify("maximum_principle", operator, 20) is None
    real = EvolutionOperator.forward

    def sharpened(self: EvolutionOperator, f: Data, x: Tensor, t: float) -> Tensor:
        away = 6.0 * torch.eye(20, dtype=torch.float64)[place]
        return 1.5 * real(self, f, x, t) - 0.25 * real(self, f, x + away, t) - 0.25 * real(self, f, x - away, t)

    monkeypatch.setattr(EvolutionOperator, "forward", sharpened)
    assert axioms.falsify("maximum_principle", operator, 200, attempts=1) is not None


# ---- references


def test_coefficients_are_read_by_their_formulas() -> None:
    compilation = pdedsl.compile(known("∂u/∂t = v·∇u", "", "let v(x, y, t) = [cos(y + 4 t), relu(x) exp(-t) + x y²]"))
    (period,) = time_intervals(compilation.analysis)
    x = np.array([[0.5, -1.0], [-2.0, 3.0]])
    found = CoefficientEvaluator(compilation.spec, {}).vector(period.drift, x, 0.25)
    expected = [[np.cos(-1.0 + 1.0), 0.5 * np.exp(-0.25) + 0.5], [np.cos(3.0 + 1.0), -18.0]]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize(("name", "order"), [("euler", 1), ("heun", 2), ("midpoint", 2), ("ssprk3", 3), ("rk4", 4)])
def test_reference_steps_have_their_orders(name: str, order: int) -> None:
    """y' = -y + sin t from y = 1: y(1) = (sin 1 - cos 1)/2 + 3/(2e)."""

    def error(n: int) -> float:
        y = 1.0
        for k in range(n):
            y = REFERENCE_METHODS[name](lambda t, y: -y + np.sin(t), k / n, 1 / n, y)
        return abs(y - ((np.sin(1) - np.cos(1)) / 2 + 1.5 * np.exp(-1)))

    assert np.log2(error(16) / error(32)) == pytest.approx(order, abs=0.25)
    assert integrate_rk4(lambda t, y: -y, 0.0, 2.0, 1.0, 100) == pytest.approx(np.exp(-2.0), abs=1e-9)


def test_trained_objectives_are_reported_as_untested() -> None:
    found = equation.check(pdedsl.compile("heat_smoothing"))
    assert [(f.name, f.outcome) for f in found] == [("model()", "untested")]
    assert isinstance(found[0], Finding)
    assert under_test(pdedsl.compile("resnet")).operator_plan is None
