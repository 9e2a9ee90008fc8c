"""Error of a level from those before it, and the predicted cost of the next level."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from torch import nn

from pdedsl.config.methods import Elements, Grid, RandomFeatures
from pdedsl.planning.grid_schemes import plan_grid
from pdedsl.solvers import strategy
from pdedsl.solvers.grid import driver
from pdedsl.solvers.grid.grid_result import TIME_ERROR
from pdedsl.solvers.method_result import (
    TEST_RESIDUAL,
    EstimateKind,
    ParameterEstimate,
    SolverResult,
    parameter_error,
)
from pdedsl.solvers.strategy import RefinementLevel, SecondMethod, combine, is_accepted, refinement_error
from tests.solvers.problems import stated

NO_DECAY: dict[EstimateKind, float] = {}


def level(
    difference: float = math.inf, unknowns: tuple[float, float] | None = None, time_error: float | None = None
) -> RefinementLevel:
    metrics = {} if time_error is None else {TIME_ERROR: time_error}
    result = SolverResult(nn.Identity(), Elements(), metrics, unknowns=unknowns)
    return RefinementLevel(result, torch.zeros(1), {}, difference)


def ratio(difference: float, *history: RefinementLevel) -> float:
    return refinement_error(difference, history[-1].result, NO_DECAY, list(history)) / difference


def test_safety_factor_on_extrapolated_differences() -> None:
    """Errors e, e r, e r² have differences e (1 - r), e r (1 - r): the last error is d₂ r / (1 - r), times 1.25."""
    assert ratio(2e-3, level(8e-3)) == pytest.approx(1.25 * 0.25 / 0.75)
    assert strategy.SAFETY_FACTOR == 1.25
    assert ratio(1e-9, level(1e-3)) == pytest.approx(1.25 * 0.1)  # no faster than the smallest assumed ratio
    assert ratio(0.9, level(1.0)) == 1.25  # slow convergence: the difference itself
    assert ratio(2.0, level(1.0)) == 1.0  # no convergence
    assert ratio(0.1, level()) == 1.0  # two levels only


def test_time_steps_follow_the_omitted_coefficients(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Gaussian of width 0.05 is resolved by 60 modes: before, time steps are not more accurate than the grid."""
    tolerances = []
    solve_level = driver._solve_level

    def record(plan, sizes, values, like, budget):  # type: ignore[no-untyped-def]
        tolerances.append(budget(0.0).tolerance)
        return solve_level(plan, sizes, values, like, budget)

    monkeypatch.setattr(driver, "_solve_level", record)
    head = "pde A\nspace x in [0, 1] periodic\ntime t in [0, 0.1]\nunknown u(x, t) : scalar\n"
    text = f"{head}∂u/∂t = ∂u/∂x\nu(x, 0) = exp(-100 sin(π x)²)\n"
    levels = driver.levels_by_grid(plan_grid(stated(text), Grid()), tolerance=1e-8)
    tails = [next(levels).error_estimates[EstimateKind.DECAY] for _ in range(6)]
    assert tolerances[0] == driver.FIRST_TIME_TOL
    assert tolerances[-1] == pytest.approx(driver.EXTRAPOLATED_TIME_FRACTION * 1e-8)
    assert all(after <= before for before, after in pairwise(tolerances))
    for time, tail in zip(tolerances, tails, strict=True):
        assert time >= min(driver.FIRST_TIME_TOL, tail / 100)


def two_levels(difference: float, tails: tuple[float, float], times: tuple[float, float]) -> float:
    """The error of the second of two levels."""
    before, after = ({TIME_ERROR: t} for t in times)
    decay = EstimateKind.DECAY
    previous = RefinementLevel(SolverResult(nn.Identity(), Grid(), before), torch.zeros(1), {decay: tails[0]})
    result = SolverResult(nn.Identity(), Grid(), after, error_estimates={decay: tails[1]})
    return refinement_error(difference, result, {decay: tails[1]}, [previous])


def test_each_part_of_a_difference_decreases_at_its_own_rate() -> None:
    assert two_levels(1e-6, (1e-6, 1e-9), (1e-12, 1e-13)) == pytest.approx(1e-9, rel=1e-2)  # in space
    assert two_levels(1e-6, (1e-12, 1e-15), (1e-6, 1e-7)) == pytest.approx(1e-7, rel=1e-2)  # in time
    assert two_levels(5e-5, (1e-6, 1e-9), (1e-9, 1e-10)) == pytest.approx(0.3 * 4.7e-5, rel=1e-2)  # mostly either
    assert two_levels(1.0, (1e-3, 1e-6), (1e-6, 1e-7)) == pytest.approx(1.0, rel=1e-2)  # not explained


def test_coarse_levels_overestimate_the_decay() -> None:
    """Burgers' equation in two dimensions with 12, 19 and 24 modes: the errors are 1.5e-4 and 5e-5."""
    assert two_levels(1.25e-3, (5.9e-4, 2.2e-5), (1e-8, 1e-8)) > 1.2e-4
    assert two_levels(1.6e-4, (2.2e-5, 1.1e-6), (1e-8, 1e-8)) > 5e-5 / 3


def test_residuals_bound_the_ratio_of_least_squares() -> None:
    def features(residual: float, difference: float = math.inf) -> RefinementLevel:
        result = SolverResult(nn.Identity(), RandomFeatures(), {TEST_RESIDUAL: residual})
        return RefinementLevel(result, torch.zeros(1), {}, difference)

    def error(residual: float) -> float:
        history = [features(1e-2)]
        return refinement_error(1e-3, features(residual).result, NO_DECAY, history)

    assert error(1e-3) == pytest.approx(1e-4)
    assert error(1e-9) == pytest.approx(1e-3 * strategy.MIN_RESIDUAL_RATIO)
    assert error(1.0) == pytest.approx(1e-3)


def test_methods_that_differ_by_more_than_their_errors_contradict_each_other() -> None:
    """As an iteration that stagnates at u = 0 on all levels, with the estimate 1e-15 by refinement."""
    second = SecondMethod(error=3e-3, difference=1.0)
    assert second.estimate == pytest.approx(1.003)
    assert second.contradicts(1e-15)
    assert not second.contradicts(0.3)
    assert not second.contradicts(math.inf)
    assert not SecondMethod(error=0.2, difference=1.0).contradicts(1e-15)


def test_cost_of_the_next_level_follows_from_its_size() -> None:
    history = [level(unknowns=(100, 200)), level(unknowns=(200, 220))]
    assert strategy._cost_growth(history, [1.0, 4.0]) == pytest.approx(1.1**2)  # the exponent is 2
    assert strategy._cost_growth(history, [1.0, 1.0]) == pytest.approx(1.1)  # at least linear
    assert strategy._cost_growth([level(), level()], [1.0, 4.0]) == 4.0
    assert strategy._cost_growth(history[:1], [1.0]) == strategy.COST_GROWTH


def test_error_of_parameters_is_that_of_their_intervals() -> None:
    """k(0.5) = 3 ± 0.4 and k(1) = 4 ± 0.3 have together the deviation 0.5 of 5; a = 2 ± 0.1 has a smaller one."""
    estimates = {"k(0.5)": ParameterEstimate(3.0, 0.4), "k(1)": ParameterEstimate(4.0, 0.3)}
    error = parameter_error({**estimates, "a": ParameterEstimate(2.0, 0.1)})
    assert error == pytest.approx(1.96 * 0.1)
    assert parameter_error({"a": ParameterEstimate(2.0)}) is None
    assert error is not None
    estimates_by_kind = {EstimateKind.RESIDUAL: 1e-6, EstimateKind.PARAMETERS: error}
    assert combine(estimates_by_kind) == error
    assert not is_accepted(estimates_by_kind, 1e-2)
    assert is_accepted({**estimates_by_kind, EstimateKind.PARAMETERS: 1e-3}, 1e-2)
