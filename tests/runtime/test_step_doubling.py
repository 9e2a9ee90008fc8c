"""Steps as long as they may be, and polynomials through their states."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from pdedsl.runtime.basis.fourier import FourierAxis
from pdedsl.runtime.basis.interpolation import TensorProductExpansion
from pdedsl.runtime.ode import step_doubling
from pdedsl.runtime.ode.step_doubling import StepControl, TimeHistory, integrate_adaptively

CONTROL = StepControl(4, 1e-6, extrapolated=True)
ZERO = torch.zeros(1, dtype=torch.float64)


def bump(t: Tensor) -> Tensor:
    """Flat, but for a bend around 0.6 that takes a hundredth of the time."""
    return 1 + torch.atan(100 * (t - 0.6))


def exact(w: Tensor, time: float, level: int) -> Tensor:
    """A step without error: nothing but interpolation makes it shorter."""
    begin = torch.tensor([time], dtype=torch.float64)
    return w + bump(begin + 2.0**-level) - bump(begin)


def at(march: TimeHistory, t: Tensor) -> Tensor:
    values = torch.stack(march.states)[:, :, None].expand(-1, -1, 3)
    series = TensorProductExpansion((FourierAxis(0.0, 1.0, 2),), values, torch.tensor(march.times, dtype=torch.float64))
    found: Tensor = series(torch.stack([torch.zeros_like(t), t], 1))[:, 0]
    return found


def test_steps_are_taken_back_where_states_are_too_far_apart_and_are_long_elsewhere() -> None:
    march = integrate_adaptively(exact, bump(ZERO), 1.0, CONTROL)
    t = torch.linspace(0, 1, 2001, dtype=torch.float64)
    assert float((at(march, t) - bump(t)).abs().max()) < 1e-9
    early, bend, late = (
        max(b - a for a, b in zip(march.times[:-1], march.times[1:], strict=True) if low <= a < high)
        for low, high in ((0.0, 0.2), (0.58, 0.62), (0.85, 1.0))
    )
    assert bend < early / 4
    assert bend < late / 4
    assert len(march.times) == len(march.states) == 2 * len(march.levels) + 1
    assert march.times[-1] == 1.0


def test_middles_of_pairs_are_as_good_as_their_ends() -> None:
    """w' = -w by steps of order four with extrapolation: errors fall by 2⁵ at half the length."""

    def step(w: Tensor, time: float, level: int) -> Tensor:
        h = 4 * 2.0**-level
        return w * (1 - h + h**2 / 2 - h**3 / 6 + h**4 / 24)

    errors = []
    for tolerance in (1e-6, 1e-8):
        march = integrate_adaptively(step, ZERO + 1, 4.0, StepControl(4, tolerance, extrapolated=True))
        found = (torch.cat(march.states) * torch.tensor(march.times, dtype=torch.float64).exp() - 1).abs()
        assert float(found[1]) < 2 * float(found[2])  # the first pair
        errors.append((float(found.max()), max(march.levels)))
    (coarse, before), (fine, after) = errors
    assert (before, after) == (6, 7)
    assert 26 < coarse / fine < 40


def rotation(turns: float) -> Callable[[Tensor, float, int], Tensor]:
    """Exact steps of a harmonic oscillator."""

    def step(w: Tensor, time: float, level: int) -> Tensor:
        angle = 2 * math.pi * turns * 2.0**-level
        c, s = math.cos(angle), math.sin(angle)
        return torch.stack([c * w[0] - s * w[1], s * w[0] + c * w[1]])

    return step


def interpolation_error(history: TimeHistory, turns: float) -> float:
    t = torch.linspace(0, 1, 20011, dtype=torch.float64)
    exact = torch.cos(2 * math.pi * turns * t)
    return float((at(history, t) - exact).norm() / exact.norm())


def test_states_of_a_fast_oscillation_are_close_enough_for_interpolation() -> None:
    """400 turns need more than the 2¹⁰ steps beyond which interpolation has a separate tolerance."""
    start = torch.tensor([1.0, 0.0], dtype=torch.float64)
    history = integrate_adaptively(rotation(400), start, 1.0, CONTROL)
    assert max(history.levels) > step_doubling.COARSE_LEVEL
    assert interpolation_error(history, 400) < 0.1 * CONTROL.tolerance


def test_interpolation_between_too_few_states_is_part_of_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_doubling, "MAX_STORED_ENTRIES", 1)
    start = torch.tensor([1.0, 0.0], dtype=torch.float64)
    history = integrate_adaptively(rotation(250), start, 1.0, CONTROL)
    assert max(history.levels) == step_doubling.COARSE_LEVEL
    error = interpolation_error(history, 250)
    assert error > 10 * CONTROL.tolerance
    assert error / 3 < history.error < 30 * error


def test_errors_of_damped_entries_do_not_accumulate() -> None:
    """w′ = -λ(w - cos t) + …: for large λ all errors decay within a step, so that steps may be longer; both entries
    remain within the tolerance."""
    rates = torch.tensor([1.0, 500.0], dtype=torch.float64)

    def step(w: Tensor, time: float, level: int) -> Tensor:  # trapezoidal rule, with the solution (cos t, cos t)
        h = 4 * 2.0**-level
        source = [rates * math.cos(t) - math.sin(t) for t in (time, time + h)]
        return (w * (1 - rates * h / 2) + h / 2 * (source[0] + source[1])) / (1 + rates * h / 2)

    start = torch.ones(2, dtype=torch.float64)
    control = StepControl(2, 1e-4, extrapolated=False)
    plain = integrate_adaptively(step, start, 4.0, control)
    damped = integrate_adaptively(step, start, 4.0, replace(control, damping=4 * torch.stack([ZERO[0], rates[1]])))
    assert len(damped.times) <= len(plain.times)
    exact = torch.tensor(damped.times, dtype=torch.float64).cos()[:, None]
    assert float((torch.stack(damped.states) - exact).abs().max()) < 1e-4
    error = torch.tensor([0.0, 1.0], dtype=torch.float64)

    def weight(rate: float, level: int) -> float:
        return float(replace(control, damping=rate * error).error_size(error, level))

    assert weight(0.0, 10) == 1.0
    assert weight(5.0, 10) == pytest.approx(2.0**-10 / -math.expm1(-5 * 2.0**-10))
    assert weight(500.0, 4) == pytest.approx(2.0**-4)  # a longer step has a larger part of the time
    assert weight(500.0, 10) == step_doubling.MIN_ACCUMULATION
