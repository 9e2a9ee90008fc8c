"""Error of a level from those before it, and the predicted cost of the next level."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from pdedsl.config.methods import Elements, Grid
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.solvers import strategy
from pdedsl.solvers.grid import driver
from pdedsl.solvers.grid.grid_result import TIME_ERROR
from pdedsl.solvers.method_result import EstimateKind, SolverResult
from pdedsl.solvers.strategy import RefinementLevel, error_ratio
from tests.solvers.problems import stated

NO_DECAY: dict[EstimateKind, float] = {}


def level(
    difference: float = math.inf, unknowns: tuple[float, float] | None = None, time_error: float | None = None
) -> RefinementLevel:
    metrics = {} if time_error is None else {TIME_ERROR: time_error}
    result = SolverResult(nn.Identity(), Elements(), metrics, unknowns=unknowns)
    return RefinementLevel(result, torch.zeros(1), {}, difference)


def ratio(difference: float, *history: RefinementLevel) -> float:
    return error_ratio(difference, history[-1].result, NO_DECAY, list(history))


def test_safety_factor_on_extrapolated_differences() -> None:
    """Errors e, e r, e r² have differences e (1 - r), e r (1 - r): the last error is d₂ r / (1 - r), times 1.25."""
    assert ratio(2e-3, level(8e-3)) == pytest.approx(1.25 * 0.25 / 0.75)
    assert strategy.SAFETY_FACTOR == 1.25
    assert ratio(1e-9, level(1e-3)) == pytest.approx(1.25 * 0.1)  # no faster than the smallest assumed ratio
    assert ratio(0.9, level(1.0)) == 1.25  # slow convergence: the difference itself
    assert ratio(2.0, level(1.0)) == 1.0  # no convergence
    assert ratio(0.1, level()) == 1.0  # two levels only


def test_time_steps_have_at_least_a_thousandth_of_the_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    tolerances = []
    solve_level = driver._solve_level

    def record(plan, sizes, values, like, budget):  # type: ignore[no-untyped-def]
        tolerances.append(budget(0.0).tolerance)
        return solve_level(plan, sizes, values, like, budget)

    monkeypatch.setattr(driver, "_solve_level", record)
    head = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 0.1]\nunknown u(x, t) : scalar\n"
    text = f"{head}∂u/∂t = Δu\nu(x, 0) = sin(2π x)\n"
    levels = driver.levels_by_grid(plan_grid(stated(text), Grid()), tolerance=1e-4)
    for _ in range(6):
        next(levels)
    assert tolerances == pytest.approx([1e-4, 1e-5, 1e-6, 1e-7, 1e-7, 1e-7])


def test_cost_of_the_next_level_follows_from_its_size() -> None:
    history = [level(unknowns=(100, 200)), level(unknowns=(200, 220))]
    assert strategy._cost_growth(history, [1.0, 4.0]) == pytest.approx(1.1**2)  # the exponent is 2
    assert strategy._cost_growth(history, [1.0, 1.0]) == pytest.approx(1.1)  # at least linear
    assert strategy._cost_growth([level(), level()], [1.0, 4.0]) == 4.0
    assert strategy._cost_growth(history[:1], [1.0]) == strategy.COST_GROWTH
