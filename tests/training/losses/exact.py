"""Exact solutions of g_t = νΔg as networks g(x, t), and helpers of the tests of losses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from enum import Enum

import torch
from torch import Tensor, nn

from pdedsl.config.methods import LaplacianEstimator, ResidualTimes, Scores, TimeDifferentiation
from pdedsl.ir.plan import ResidualPenalty
from pdedsl.runtime.learned_fields import FixedTime

NU = 0.3
RESIDUAL = ResidualPenalty(
    diffusivity=NU,
    end=1.0,
    weight=1.0,
    h=0.1,
    tau=1e-4,
    probes=1,
    times=(0.0, 1.0),
    jitter=0.2,
    estimator=LaplacianEstimator.BIASED,
    derivative=TimeDifferentiation.FORWARD,
    of=Scores.LOGITS,
)
WORDS: dict[str, type[Enum]] = {
    "estimator": LaplacianEstimator,
    "derivative": TimeDifferentiation,
    "of": Scores,
    "instants": ResidualTimes,
}


def residual(**changes: object) -> ResidualPenalty:
    """With changes, words as they are written in a spec."""
    named = {key: WORDS[key](value) if key in WORDS else value for key, value in changes.items()}
    return replace(RESIDUAL, **named)  # type: ignore[arg-type]


class Wave(nn.Module):
    """(a·exp(-ν|k|²t) sin(k·x), 0)."""

    def __init__(self, k: tuple[float, ...], a: float = 1.0) -> None:
        super().__init__()
        self.k = nn.Buffer(torch.tensor(k, dtype=torch.float64))
        self.a = nn.Parameter(torch.tensor(a, dtype=torch.float64))

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        decay = torch.exp(-NU * self.k.square().sum() * t).reshape(-1, 1)
        wave = self.a * decay * torch.sin(x @ self.k.reshape(-1, 1))
        return torch.cat([wave, 0.0 * wave], 1)


class HalfSpace(nn.Module):
    """log of (Φ(z), 1 - Φ(z)), z = w·x/√(1 + 2ν|w|²t): the average of a step that has already been smoothed."""

    def __init__(self, w: tuple[float, ...]) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor(w, dtype=torch.float64))

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        spread = torch.sqrt(1.0 + 2.0 * NU * self.w.square().sum() * t).reshape(-1, 1)
        half = 0.5 * torch.erf(x @ self.w.reshape(-1, 1) / spread / math.sqrt(2.0))
        return torch.log(torch.cat([0.5 + half, 0.5 - half], 1))


class Quadratic(nn.Module):
    """(½xᵀHx, 0), constant in time."""

    def __init__(self, matrix: Tensor) -> None:
        super().__init__()
        self.matrix = nn.Parameter(matrix)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        value = 0.5 * (x * (x @ self.matrix)).sum(1, keepdim=True)
        return torch.cat([value, 0.0 * value], 1)


def read(g: nn.Module) -> nn.Module:
    return FixedTime(g, 1.0)


def points(rows: int, *shape: int, seed: int = 0) -> tuple[Tensor, Tensor]:
    source = torch.Generator().manual_seed(seed)
    x = torch.rand(rows, *shape, dtype=torch.float64, generator=source)
    return x, torch.randint(2, (rows,), generator=source)


def seeded(make: Callable[[], nn.Module]) -> nn.Module:
    """A network with weights that do not depend on the tests before, in double precision."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return make().double()


def slope_along(loss: Callable[[], Tensor], model: nn.Module, step: float = 1e-6) -> tuple[float, float]:
    """The derivative of a loss along a random direction of the weights: by backward, and by a central difference."""
    weights = list(model.parameters())
    source = torch.Generator().manual_seed(1)
    lines = [torch.randn(w.shape, dtype=w.dtype, generator=source) for w in weights]
    gradients = torch.autograd.grad(loss(), weights, allow_unused=True)
    backward = sum(float((g * v).sum()) for g, v in zip(gradients, lines, strict=True) if g is not None)

    def at(shift: float) -> float:
        with torch.no_grad():
            for w, v in zip(weights, lines, strict=True):
                w.add_(v, alpha=shift)
            value = loss().item()
            for w, v in zip(weights, lines, strict=True):
                w.sub_(v, alpha=shift)
        return value

    return backward, (at(step) - at(-step)) / (2.0 * step)


def deviation(samples: list[float], expected: float) -> float:
    """Standard errors between the mean of independent samples and its expectation."""
    values = torch.tensor(samples, dtype=torch.float64)
    return abs(float(values.mean()) - expected) / float(values.std() / math.sqrt(len(samples)))


SIGMAS = 5.0
"""A false alarm has probability below 2e-6 in each test, by the law of Student with at least 199 degrees of freedom."""
