"""Adaptive solvers where there is little to solve, or too much: empty batches, NaN, slivers of time, failures."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from pdedsl.numerics.butcher import ADAPTIVE
from pdedsl.numerics.step_size import SolverFailed
from pdedsl.runtime.image_fields import Time
from pdedsl.runtime.ode.adaptive import AdaptiveRungeKutta, AdaptiveSolver, OnFailure
from pdedsl.runtime.ode.explicit import Euler, Integrator, TimeGrid
from pdedsl.runtime.ode.torchdiffeq_solver import TorchdiffeqSolver, translate_failures

UNIT = TimeGrid(0.0, 1.0, 1)
LEAN = [name for name, pair in ADAPTIVE.items() if pair.rows]
SOLVERS: list[AdaptiveSolver] = [
    *(AdaptiveRungeKutta(method=m) for m in LEAN),
    TorchdiffeqSolver(),
    TorchdiffeqSolver(adjoint=True),
]
BATCHES: list[AdaptiveSolver] = [AdaptiveRungeKutta(control="batch"), TorchdiffeqSolver(control="batch")]


class Pendulum(nn.Module):
    """y′ = a sin(y) + t, with a learned."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Parameter(torch.tensor(2.0, dtype=torch.float64))

    def forward(self, j: int, t: Time, y: Tensor) -> Tensor:
        return self.a * torch.sin(y) + (t.reshape(-1, 1) if isinstance(t, Tensor) else t)


# ---- samples that are not finite


def _with_bad_rows(value: float) -> tuple[Tensor, Tensor, list[int]]:
    """A batch, its good rows, and where they are."""
    good = torch.linspace(-3, 3, 8, dtype=torch.float64).view(4, 2)
    bad = torch.tensor([[1.0, value]], dtype=torch.float64)
    return torch.cat([good[:2], bad, good[2:], bad]), good, [0, 1, 3, 4]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("steps", [UNIT, TimeGrid(0.0, 1.0, 3), TimeGrid(1.0, 0.0, 2)])
def test_a_sample_that_is_not_finite_harms_no_other(solver: AdaptiveSolver, value: float, steps: TimeGrid) -> None:
    x, good, places = _with_bad_rows(value)
    with torch.no_grad():
        found, without, alone = (solver.solve(Pendulum(), rows, steps) for rows in (x, good, good[1:2]))
    assert torch.equal(found.state[places], without.state)
    assert torch.equal(found.state[1:2], alone.state)
    assert found.state[[2, 5]].isnan().all()
    assert [found.per_sample[p] for p in places] == list(without.per_sample)
    assert found.per_sample[2] == found.per_sample[5] == 0
    assert found.evaluations == without.evaluations


@pytest.mark.parametrize("solver", [AdaptiveRungeKutta(), TorchdiffeqSolver()])
def test_gradients_of_the_others_are_right_too(solver: AdaptiveSolver) -> None:
    x, good, places = _with_bad_rows(math.nan)
    field, slopes = Pendulum(), []
    for batch, rows in ((x, places), (good, [0, 1, 2, 3])):
        start = batch.clone().requires_grad_()
        end = solver.integrate(field, start, UNIT)
        slope, of_weight = torch.autograd.grad(end[rows].square().sum(), (start, field.a))
        slopes.append((slope[rows], of_weight))
    assert torch.equal(slopes[0][0], slopes[1][0])
    assert torch.equal(slopes[0][1], slopes[1][1])


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_batch_of_nothing_but_nan(solver: AdaptiveSolver) -> None:
    found = solver.solve(Pendulum(), torch.full((3, 2), math.nan, dtype=torch.float64), UNIT)
    assert found.state.isnan().all()
    assert (found.evaluations, found.per_sample) == (0, (0, 0, 0))


@pytest.mark.parametrize("solver", BATCHES)
def test_error_norm_over_the_batch(solver: AdaptiveSolver) -> None:
    with pytest.raises(SolverFailed):
        solver.solve(Pendulum(), _with_bad_rows(math.nan)[0], UNIT)


# ---- nothing to do


@pytest.mark.parametrize("solver", [Euler(), *SOLVERS, *BATCHES])
@pytest.mark.parametrize("shape", [(0, 2), (0, 3, 4, 4)])
def test_an_empty_batch_stays_empty(solver: Integrator, shape: tuple[int, ...]) -> None:
    assert solver.integrate(lambda j, t, y: -y, torch.zeros(shape), TimeGrid(0.0, 1.0, 2)).shape == shape


@pytest.mark.parametrize("control", ["sample", "batch"])
def test_no_time_at_all(control: str) -> None:
    y = torch.ones(2, 1)
    assert torch.equal(AdaptiveRungeKutta(control=control).integrate(lambda j, t, y: -y, y, TimeGrid(0.5, 0.5, 1)), y)


@pytest.mark.parametrize("method", LEAN)
@pytest.mark.parametrize("end", [1.11e-4, 1.11e-6, 1.111111e-1, 1.1e-5, 1e-12, 1e9])
def test_a_sliver_of_time_is_no_step(method: str, end: float) -> None:
    """From 1e-6 on, steps of a constant solution grow tenfold; of some intervals rounding leaves 1e-20."""
    y, times = torch.zeros(1, 1, dtype=torch.float64), [0.0]

    def field(j: int, t: Time, y: Tensor) -> Tensor:
        times.append(float(t))
        return 0 * y

    assert torch.equal(AdaptiveRungeKutta(method=method).integrate(field, y, TimeGrid(0.0, end, 1)), y)
    assert times[-1] == end
    assert end - max(t for t in times if t < end) > 1e-3 * end


def test_the_last_step_is_as_accurate_as_the_others() -> None:
    y = torch.ones(1, 1, dtype=torch.float64)
    ends = torch.linspace(0.1, 3, 30, dtype=torch.float64).tolist()
    found = [
        AdaptiveRungeKutta(1e-8, 1e-8).integrate(lambda j, t, y: -y, y, TimeGrid(0.0, end, 1)).item() for end in ends
    ]
    assert found == pytest.approx([math.exp(-end) for end in ends], abs=1e-7)


@pytest.mark.parametrize("method", ["dopri5", "dopri8", "bosh3"])
def test_no_digits_are_lost_at_the_end(method: str) -> None:
    """y′ = y cos t, y(3) = y₀ exp(sin 3): torchdiffeq steps beyond the end, and interpolates back."""

    class Growth(nn.Module):
        def forward(self, j: int, t: Time, y: Tensor) -> Tensor:
            return y * torch.cos(torch.as_tensor(t))

    y = torch.ones(1, 1, dtype=torch.float64, requires_grad=True)
    end = TorchdiffeqSolver(method, 1e-7, 1e-7, adjoint=True).integrate(Growth(), y, TimeGrid(0.0, 3.0, 1))
    (slope,) = torch.autograd.grad(end.sum(), y)
    assert end.item() == pytest.approx(math.exp(math.sin(3)), abs=3e-7)
    assert slope.item() == pytest.approx(math.exp(math.sin(3)), abs=5e-7)


# ---- failures


HOPELESS = {
    "blows up": lambda j, t, y: y**2,
    "not a number": lambda j, t, y: y * math.nan,
    "infinite": lambda j, t, y: y * math.inf,
}


@pytest.mark.parametrize("solver", [*SOLVERS[:-1], *BATCHES])
@pytest.mark.parametrize("name", HOPELESS)
def test_a_solver_that_fails_has_an_exception_of_its_own(solver: AdaptiveSolver, name: str) -> None:
    y = torch.ones(2, 1, dtype=torch.float64)
    with pytest.raises(SolverFailed, match="not finite, or too stiff"):
        solver.integrate(HOPELESS[name], y, TimeGrid(0.0, 2.0, 1))


@pytest.mark.parametrize(
    "solver", [AdaptiveRungeKutta(on_failure=OnFailure.NAN), TorchdiffeqSolver(on_failure=OnFailure.NAN)]
)
def test_or_gives_nan_if_it_is_reported_to(solver: AdaptiveSolver) -> None:
    y = torch.ones(2, 1, dtype=torch.float64)
    found = solver.solve(HOPELESS["blows up"], y, TimeGrid(0.0, 2.0, 1))
    assert found.state.shape == y.shape
    assert found.state.isnan().all()


def test_an_adjoint_that_fails_backwards() -> None:
    """y′ = −1000 y is easy forwards; backwards it grows beyond all numbers."""

    class Decay(nn.Module):
        def forward(self, j: int, t: Time, y: Tensor) -> Tensor:
            return -1000 * y

    y = torch.ones(1, 1, requires_grad=True)
    end = TorchdiffeqSolver("bosh3", 1e-1, 1e-1, adjoint=True).integrate(Decay(), y, UNIT)
    with pytest.raises(SolverFailed, match="too stiff"), translate_failures():
        end.sum().backward()


def test_assertions_of_the_field_are_its_own() -> None:
    def field(j: int, t: Time, y: Tensor) -> Tensor:
        raise AssertionError("mine")

    with pytest.raises(AssertionError, match="mine"):
        TorchdiffeqSolver().integrate(field, torch.ones(1, 1), UNIT)


# ---- second derivatives


@pytest.mark.parametrize("control", ["sample", "batch"])
def test_the_adjoint_refuses_second_derivatives(control: str) -> None:
    field, y = Pendulum(), torch.randn(2, 2, dtype=torch.float64)
    solver = TorchdiffeqSolver("dopri5", 1e-6, 1e-6, adjoint=True, control=control)
    with pytest.raises(RuntimeError, match="adjoint=false"):
        torch.autograd.functional.hvp(lambda y: solver.integrate(field, y, UNIT).square().sum(), y, y)
    with pytest.raises(RuntimeError, match="differentiable once"):
        torch.autograd.grad(solver.integrate(field, y, UNIT).sum(), field.a, create_graph=True)


@pytest.mark.parametrize("solver", [AdaptiveRungeKutta(1e-9, 1e-9), TorchdiffeqSolver("dopri5", 1e-9, 1e-9)])
def test_the_others_have_them(solver: AdaptiveSolver) -> None:
    """y′ = y²: y(1) = y₀/(1 − y₀), y″ = 2/(1 − y₀)³."""
    y = torch.tensor([[0.3]], dtype=torch.float64)
    found = torch.autograd.functional.hvp(
        lambda y: solver.integrate(lambda j, t, y: y**2, y, UNIT).sum(), y, torch.ones_like(y)
    )[1]
    assert found.item() == pytest.approx(2 / 0.7**3, rel=1e-5)
