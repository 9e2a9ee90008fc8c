"""Steps along a field on R^d by the integrators of feature maps: shapes, costs, parameters, and no noise between."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from pdedsl.numerics.butcher import EXPLICIT
from pdedsl.runtime.backbones import vector_field
from pdedsl.runtime.learned_fields import SpaceTimeField
from pdedsl.runtime.ode.adaptive import AdaptiveRungeKutta
from pdedsl.runtime.ode.explicit import BackwardEuler, ExplicitRungeKutta, Integrator
from pdedsl.runtime.ode.torchdiffeq_solver import TorchdiffeqSolver
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps
from pdedsl.runtime.sde.noise import CorrelatedNoise, GaussianNoise, LaplaceNoise

F64 = torch.float64


def field() -> SpaceTimeField:
    torch.manual_seed(1)
    return SpaceTimeField(vector_field(3, 6, 1, outputs=2)).double()


@pytest.mark.parametrize("name", EXPLICIT)
@pytest.mark.parametrize("clock", [-1.0, 1.0])
def test_an_integrator_is_the_scheme_of_its_name(name: str, clock: float) -> None:
    times = tuple(1.0 + clock * 0.25 * k for k in range(4))
    v, x = field(), torch.randn(3, 2, dtype=F64)
    ours, theirs = (
        CharacteristicSteps(v, times, 0.25, ExplicitRungeKutta(EXPLICIT[name]), clock),
        CharacteristicSteps(v, times, 0.25, name, clock),
    )
    torch.testing.assert_close(ours(x), theirs(x), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("method", [AdaptiveRungeKutta(), BackwardEuler(2), TorchdiffeqSolver("dopri8")])
def test_points_of_every_shape(method: Integrator) -> None:
    """(2, 3, d) and (d,) are points like (6, d) and (1, d)."""
    march, x = CharacteristicSteps(field(), (1.0,), 1.0, method, -1.0), torch.randn(2, 3, 2, dtype=F64)
    torch.testing.assert_close(march(x), march(x.reshape(6, 2)).reshape(2, 3, 2), rtol=0, atol=1e-12)
    torch.testing.assert_close(march(x[0, 0]), march(x[:1, 0])[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", [AdaptiveRungeKutta(), TorchdiffeqSolver("dopri5", adjoint=True), BackwardEuler(3)])
def test_every_parameter_has_a_gradient(method: Integrator) -> None:
    march, x = CharacteristicSteps(field(), (0.0,), 1.0, method), torch.randn(3, 2, dtype=F64, requires_grad=True)
    march(x).square().sum().backward()
    assert x.grad is not None
    assert len(march.state_dict()) == len(list(march.parameters())) == 4
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in march.parameters())


def test_costs_are_reported() -> None:
    march = CharacteristicSteps(lambda x, t: -x, (0.0,), 1.0, AdaptiveRungeKutta())
    assert march.evaluations is None
    march(torch.ones(4, 2))
    assert march.evaluations_per_sample == (march.evaluations,) * 4


@pytest.mark.parametrize("kind", ["noise", "velocity_noise"])
def test_noise_requires_euler_or_heun(kind: str) -> None:
    noise = {kind: lambda t: GaussianNoise(0.1, seed=0)}
    with pytest.raises(ValueError, match="euler or heun"):
        CharacteristicSteps(field(), (0.0,), 1.0, AdaptiveRungeKutta(), **noise)  # type: ignore[arg-type]


def spring(x: Tensor, t: float) -> Tensor:
    return -x


@pytest.mark.parametrize(("scheme", "keep", "noise"), [("euler", 0.75, 1.0), ("heun", 0.78125, 0.875)])
def test_means_and_variances_of_noisy_steps(scheme: str, keep: float, noise: float) -> None:
    """Of x' = -x with noise of variance 0.04 a step, h = ¼: x ↦ (1 - h)x + ξ, or (1 - h + ½h²)x + (1 - ½h)ξ by Heun.

    10⁵ rows: mean and variance within 5 standard errors, one false alarm in 1.7·10⁶ each."""
    n = 100_000
    for kind in (GaussianNoise(0.2, seed=1), LaplaceNoise(0.2, seed=1), CorrelatedNoise(0.2 * torch.eye(1), seed=1)):
        march = CharacteristicSteps(spring, (0.0, 0.25), 0.25, scheme, 1.0, noise=lambda t, kind=kind: kind).double()
        y = march(torch.full((n, 1), 2.0, dtype=F64))
        variance = 0.04 * noise**2 * (1 + keep**2)
        spread = (y - 2 * keep**2).square()
        assert abs(float(y.mean()) - 2 * keep**2) < 5 * (variance / n) ** 0.5
        assert abs(float(spread.mean()) - variance) < 5 * float(spread.std()) / n**0.5


def test_a_time_for_each_point() -> None:
    v, x = field(), torch.randn(3, 2, dtype=F64)
    times = torch.tensor([0.1, 0.7, 0.4], dtype=F64)
    each = torch.stack([v(point, float(t)) for point, t in zip(x, times, strict=True)])
    for t in (times, times.unsqueeze(-1), times.float().double()):
        torch.testing.assert_close(v(x, t), each, rtol=1e-6, atol=1e-7)


class Speed(nn.Module):
    """v = cx, on points of any shape."""

    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Parameter(torch.tensor(0.5, dtype=F64))

    def forward(self, x: Tensor, t: float) -> Tensor:
        return self.c * x


def test_a_solver_can_be_exchanged() -> None:
    """The attribute is the one that counts, as in the blocks of feature maps."""
    march, x = CharacteristicSteps(Speed(), (0.0,), 1.0, AdaptiveRungeKutta(1e-2, 1e-2)), torch.ones(1, 1, dtype=F64)
    march.integrator = BackwardEuler(1)
    assert march(x).item() == pytest.approx(1.5)
    assert "BackwardEuler" in repr(march)
