"""Stochastic Heun method in the operator, the network and the reference, for a linear equation:

    dX = (-X + t) dτ + √(2ν) dB, ν = (1 + t)/10, t = 1 - τ, X₀ = 3: E X₁ = 1 + e⁻¹, Var X₁ = 0.15 - 0.25 e⁻².

The noise takes every sequence of signs once, which has the mean and the covariance of white noise: the moments of n
steps are those of the scheme without an error of sampling, and their distance to the exact ones has its weak order.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import pdedsl
from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps
from pdedsl.runtime.sde.feynman_kac import EvolutionOperator
from pdedsl.testing.model import under_test
from pdedsl.testing.path_segments import operator_segments
from pdedsl.testing.paths import process_of

F64 = torch.float64
MEAN, VARIANCE = 1.0 + np.exp(-1.0), 0.15 - 0.25 * np.exp(-2.0)
SPEC = """pde Linear
space x in R^1
time t in [0, 1]
unknown u(x, t) : scalar
∂u/∂t = (t - x) ∂u/∂x + (0.1 + 0.1 t) ∂²u/∂x²
u(x, 0) = x
realize diffusion by noise
realize time by {scheme}(steps={steps})
"""


def signs(steps: int) -> np.ndarray[Any, Any]:
    return np.array(list(product((-1.0, 1.0), repeat=steps)))


def velocity(x: Tensor, t: float) -> Tensor:
    return t - x


class Signed(EvolutionOperator):
    def _noise(self, x: Tensor, leg: int, step: int, draws: range) -> Tensor:
        return torch.from_numpy(signs(round(1 / self.dt))[:, step]).reshape(-1, 1, 1)


class Jump(nn.Module):
    """√(2νh) times the signs of one step, as noise behind a step or inside one."""

    def __init__(self, t: float, h: float, column: np.ndarray[Any, Any]) -> None:
        super().__init__()
        self.size, self.column = (0.2 * (1 + t) * h) ** 0.5, torch.from_numpy(column).unsqueeze(-1)

    def increment(self, x: Tensor) -> Tensor:
        return self.size * self.column

    def forward(self, x: Tensor) -> Tensor:
        return x + self.increment(x)


class Source:
    """A generator of numpy that gives the signs, step by step."""

    def __init__(self, steps: int) -> None:
        self.columns = iter(signs(steps).T)

    def standard_normal(self, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        return next(self.columns).reshape(shape)


def of_operator(scheme: str, n: int) -> Tensor:
    made = Signed(
        velocity, lambda x, t: torch.full_like(x[..., 0], 0.1 * (1 + t)), dt=1 / n, scheme=scheme, samples=2**n
    )
    ends: list[Tensor] = []
    made(lambda y: (ends.append(y), y[..., 0])[1], torch.full((1, 1), 3.0, dtype=F64), 1.0)
    return ends[0].reshape(-1)


def of_network(scheme: str, n: int) -> Tensor:
    columns = iter(signs(n).T)
    march = CharacteristicSteps(
        velocity, [1 - k / n for k in range(n)], 1 / n, scheme, -1.0, noise=lambda t: Jump(t, 1 / n, next(columns))
    )
    end: Tensor = march(torch.full((2**n, 1), 3.0, dtype=F64))
    return end.reshape(-1)


def of_reference(scheme: str, n: int) -> Tensor:
    model = under_test(pdedsl.compile(SPEC.format(scheme=scheme, steps=n)))
    ends = process_of(model, {}).simulate(np.full((2**n, 1), 3.0), operator_segments(model), Source(n))  # type: ignore[arg-type]
    return torch.from_numpy(ends.x).reshape(-1)


WAYS = [of_operator, of_network, of_reference]


@pytest.mark.parametrize("ends", WAYS)
def test_one_step(ends: Any) -> None:
    """X + ½(v(X, 1) + v(X + v(X, 1) + sξ, 0)) + sξ = 1.5 + ½sξ, s² = 2ν(½): the noise of the middle of the step."""
    expected = torch.tensor([1.5 - 0.5 * 0.3**0.5, 1.5 + 0.5 * 0.3**0.5], dtype=F64)
    torch.testing.assert_close(ends("heun", 1), expected, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize(("scheme", "order"), [("euler", 1), ("heun", 2)])
@pytest.mark.parametrize("ends", WAYS)
def test_weak_order_of_mean_and_variance(ends: Any, scheme: str, order: int) -> None:
    means, variances = [], []
    for n in (4, 8):
        found = ends(scheme, n)
        means.append(abs(float(found.mean()) - MEAN))
        variances.append(abs(float(found.var(correction=0)) - VARIANCE))
    assert np.log2(variances[0] / variances[1]) == pytest.approx(order, abs=0.25)
    assert np.log2(means[0] / means[1]) == pytest.approx(order, abs=0.25)
