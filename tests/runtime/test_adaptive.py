"""Adaptive solvers: accuracy, independence of the batch neighbours, costs, gradients."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from pdedsl.numerics.butcher import ADAPTIVE
from pdedsl.runtime.convnet import ConvNet
from pdedsl.runtime.image_fields import LayerPerStep, SharedLayer, Time
from pdedsl.runtime.ode.adaptive import AdaptiveRungeKutta
from pdedsl.runtime.ode.explicit import RK4, Integrator, TimeGrid
from pdedsl.runtime.ode.torchdiffeq_solver import TorchdiffeqSolver
from pdedsl.runtime.pde_blocks import FirstOrderBlock

UNIT = TimeGrid(0.0, 1.0, 1)
LEAN = [name for name, pair in ADAPTIVE.items() if pair.rows]


def _column(t: Time) -> Time:
    return t.reshape(-1, 1) if isinstance(t, Tensor) else t


def _growth(j: int, t: Time, y: Tensor) -> Tensor:
    """y′ = y cos t: y = y₀ exp(sin t)."""
    cosine = torch.cos(t.reshape(-1, 1)) if isinstance(t, Tensor) else math.cos(t)
    return y * cosine


@pytest.mark.parametrize("name", LEAN)
def test_tableaus_are_consistent(name: str) -> None:
    tableau = ADAPTIVE[name]
    for node, row in zip(tableau.nodes, tableau.rows, strict=True):
        assert sum(row) == pytest.approx(node, abs=1e-14)
    assert sum(tableau.error) == pytest.approx(0, abs=1e-14)
    nodes = (0.0, *tableau.nodes)
    for power in range(1, tableau.order):  # quadrature conditions of the step
        moments = sum(b * c**power for b, c in zip(tableau.rows[-1], nodes, strict=False))
        assert moments == pytest.approx(1 / (power + 1), abs=1e-14)


@pytest.mark.parametrize("method", LEAN)
@pytest.mark.parametrize("control", ["sample", "batch"])
@pytest.mark.parametrize("steps", [TimeGrid(0.0, 3.0, 1), TimeGrid(0.0, 3.0, 4), TimeGrid(3.0, 0.0, 1)])
def test_accuracy(method: str, control: str, steps: TimeGrid) -> None:
    y = torch.tensor([[1.0], [-2.0], [0.1]], dtype=torch.float64)
    solver = AdaptiveRungeKutta(1e-6, 1e-6, method, control)
    exact = y * math.exp(math.sin(steps.stop) - math.sin(steps.start))
    assert torch.allclose(solver.integrate(_growth, y, steps), exact, atol=3e-5)


def test_costs_fall_with_the_order() -> None:
    y = torch.ones(1, 1, dtype=torch.float64)
    costs = [
        AdaptiveRungeKutta(1e-8, 1e-8, m).solve(_growth, y, UNIT).evaluations
        for m in ("dopri5", "bosh3", "adaptive_heun")
    ]
    assert costs == sorted(costs)


def test_evaluations_are_counted() -> None:
    calls = 0

    def field(j: int, t: Time, y: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return -(torch.arange(1.0, 1 + y.shape[0], dtype=y.dtype)[:, None]) * y if y.shape[0] > 1 else -y

    solution = AdaptiveRungeKutta(control="batch").solve(field, torch.ones(3, 2, dtype=torch.float64), UNIT)
    assert solution.evaluations == calls
    assert solution.per_sample == (calls,) * 3


def _ode(channels: int = 4) -> FirstOrderBlock:
    field = SharedLayer(ConvNet(channels, 2))
    for parameter in field.parameters():
        nn.init.normal_(parameter, std=0.5)
    return FirstOrderBlock(field, AdaptiveRungeKutta(), TimeGrid(0.0, 2.0, 1)).double()


def _smooth_ode() -> FirstOrderBlock:
    """Without the kinks of relu, so that errors are proportional to the tolerances."""
    return FirstOrderBlock(SharedLayer(_smooth()), AdaptiveRungeKutta(), UNIT).double()


def _smooth() -> ConvNet:
    return ConvNet(4, 2, activation_name="tanh", norm=False)


def _neighbours() -> tuple[Tensor, Tensor]:
    """A quiet sample, and loud neighbours that need more steps."""
    x = torch.randn(6, 4, 6, 6, dtype=torch.float64)
    loud = torch.tensor([1e-3, 1e-2, 1.0, 5.0, 30.0, 1e-3], dtype=torch.float64).view(-1, 1, 1, 1)
    return x[:1], x * loud


SOLVERS: list[Integrator] = [AdaptiveRungeKutta(method=m) for m in ("dopri5", "bosh3", "adaptive_heun")]


@pytest.mark.parametrize("solver", [*SOLVERS, TorchdiffeqSolver()])
def test_samples_are_independent(solver: Integrator) -> None:
    ode = _ode()
    ode.integrator = solver
    x = torch.cat([_neighbours()[0], _neighbours()[1]])
    with torch.no_grad():
        together = ode(x)
        costs = ode.evaluations_per_sample
        for place in range(len(x)):
            alone = ode(x[place : place + 1])
            assert (alone - together[place]).abs().max() < 1e-12 * max(1.0, float(alone.abs().max()))
            assert ode.evaluations_per_sample == costs[place : place + 1]
    assert len(set(costs)) > 1


@pytest.mark.parametrize("solver", [AdaptiveRungeKutta(), TorchdiffeqSolver()])
def test_gradients_do_not_depend_on_other_samples(solver: Integrator) -> None:
    ode = _ode()
    ode.integrator = solver
    x = _neighbours()[1].requires_grad_()
    (together,) = torch.autograd.grad(ode(x).square().sum(), x)
    alone = x[:1].detach().requires_grad_()
    (single,) = torch.autograd.grad(ode(alone).square().sum(), alone)
    assert torch.allclose(together[:1], single, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("solver", [AdaptiveRungeKutta(control="batch"), TorchdiffeqSolver(control="batch")])
def test_the_batch_wide_norm_does_couple(solver: Integrator) -> None:
    """Why the option has to be asked for."""
    ode = _ode()
    ode.integrator = solver
    quiet, loud = _neighbours()
    with torch.no_grad():
        assert (ode(torch.cat([quiet, loud]))[:1] - ode(quiet)).abs().max() > 1e-6


def test_batch_control_agrees_with_torchdiffeq() -> None:
    ode, x = _smooth_ode(), torch.randn(3, 4, 6, 6, dtype=torch.float64)
    results = []
    for solver in (
        AdaptiveRungeKutta(1e-7, 1e-7, control="batch"),
        TorchdiffeqSolver("dopri5", 1e-7, 1e-7, control="batch"),
    ):
        ode.integrator = solver
        results.append((ode(x), ode.evaluations))
    assert torch.allclose(results[0][0], results[1][0], atol=1e-6)
    assert results[0][1] <= results[1][1] + 6


@pytest.mark.parametrize("method", ["dopri8", "bosh3", "rk4", "midpoint"])
@pytest.mark.parametrize("adjoint", [False, True])
def test_torchdiffeq_by_name(method: str, adjoint: bool) -> None:
    ode, x = _ode(), 0.1 * torch.randn(2, 4, 4, 4, dtype=torch.float64)
    ode.integrator = TorchdiffeqSolver(method, 1e-5, 1e-5, adjoint=adjoint)
    y = ode(x)
    y.sum().backward()
    assert y.shape == x.shape
    assert all(p.grad is not None for p in ode.parameters())
    assert ode.evaluations > 0


def test_gradient_of_the_flow() -> None:
    """y′ = −a y: ∂y(1)/∂y₀ = e^{−a}, ∂y(1)/∂a = −y₀ e^{−a}."""
    a = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[2.0], [0.01]], dtype=torch.float64, requires_grad=True)
    AdaptiveRungeKutta(1e-9, 1e-9).integrate(lambda j, t, y: -a * y, y, UNIT).sum().backward()
    assert torch.allclose(y.grad, torch.full_like(y, math.exp(-1.3)), rtol=1e-7)
    assert a.grad.item() == pytest.approx(-2.01 * math.exp(-1.3), rel=1e-7)


def test_gradients_of_the_three_methods_agree() -> None:
    ode, x = _smooth_ode(), torch.randn(2, 4, 4, 4, dtype=torch.float64)
    gradients = []
    for solver in (
        AdaptiveRungeKutta(1e-8, 1e-8),
        TorchdiffeqSolver("dopri5", 1e-8, 1e-8),
        TorchdiffeqSolver("dopri5", 1e-8, 1e-8, True),
    ):
        ode.integrator = solver
        ode.zero_grad()
        ode(x).square().sum().backward()
        gradients.append(torch.cat([p.grad.flatten() for p in ode.parameters()]))
    for other in gradients[1:]:
        assert (other - gradients[0]).norm() < 1e-6 * gradients[0].norm()


def test_gradcheck_at_tight_tolerance() -> None:
    def flow(y: Tensor) -> Tensor:
        return AdaptiveRungeKutta(1e-11, 1e-11).integrate(lambda j, t, y: torch.sin(y) + _column(t), y, UNIT)

    assert torch.autograd.gradcheck(flow, torch.randn(3, 2, dtype=torch.float64, requires_grad=True), atol=1e-6)


def test_pieces_have_their_own_weights() -> None:
    field = LayerPerStep([_smooth(), _smooth()]).double()
    x, steps = torch.randn(2, 4, 4, 4, dtype=torch.float64), TimeGrid(0.0, 1.0, 2)

    def fine(j: int, t: Time, y: Tensor) -> Tensor:
        return field(j // 40, t, y)

    with torch.no_grad():
        adaptive = AdaptiveRungeKutta(1e-9, 1e-9).integrate(field, x, steps)
        assert torch.allclose(adaptive, RK4().integrate(fine, x, TimeGrid(0.0, 1.0, 80)), atol=1e-8)


def test_stiff_fields_are_reported() -> None:
    with pytest.raises(ArithmeticError, match="underflow"):
        AdaptiveRungeKutta().integrate(lambda j, t, y: y * float("nan"), torch.ones(2, 1), UNIT)
    with pytest.raises(ArithmeticError, match="did not reach the end"):
        AdaptiveRungeKutta(max_attempts=3).integrate(lambda j, t, y: -1e5 * y, torch.ones(2, 1), UNIT)


def test_blow_up_is_reported() -> None:
    with pytest.raises(ArithmeticError):
        AdaptiveRungeKutta().integrate(
            lambda j, t, y: y**2, torch.ones(1, 1, dtype=torch.float64), TimeGrid(0.0, 2.0, 1)
        )


def test_meta_device_and_float32() -> None:
    with torch.device("meta"):
        ode = FirstOrderBlock(SharedLayer(ConvNet(4, 2)), AdaptiveRungeKutta(), UNIT)
        assert ode(torch.empty(3, 4, 5, 5)).shape == (3, 4, 5, 5)
    assert AdaptiveRungeKutta().integrate(_growth, torch.ones(3, 1), UNIT).dtype is torch.float32


def test_constant_field_and_fixed_point() -> None:
    y = torch.zeros(2, 1, dtype=torch.float64)
    assert torch.equal(AdaptiveRungeKutta().integrate(lambda j, t, y: 0 * y, y, UNIT), y)
    assert torch.allclose(AdaptiveRungeKutta().integrate(lambda j, t, y: 0 * y + 3, y, UNIT), y + 3)
