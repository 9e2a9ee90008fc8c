"""Multilevel Picard iteration for semilinear parabolic equations on R^d.

∂u/∂t = G u + F(x, t, u) with data g is the fixed point of u = E[e^{cτ} g(X_τ) + ∫₀^τ e^{cs} F(X_s, u(X_s)) ds]. With
u₀ = 0 and M samples,

    uₙ = M⁻ⁿ Σ e^{cτ} g(X_τ) + Σₗ τ M^{l-n} Σ e^{cR} [F(u_l) - F(u_{l-1})](X_R),   R uniform in [0, τ],  l < n,

where the term without u_{l-1} stands for l = 0, and every sample is independent. Transitions of X are exact: Gaussian,
or lognormal for geometric Brownian motion.

E, Hutzenthaler, Jentzen, Kruse 2019; Hutzenthaler, Jentzen, Kruse, Nguyen, von Wurstemberger 2020.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.diffusion_process import DiffusionProcess, TimeDirection
from pdedsl.runtime.rng import generator

LEVELS = 3  # Picard iterations; the change by the last one is part of the confidence interval
BASE = 4  # M
MAX_NUMBERS = 1 << 22  # in memory at a time


@dataclass(frozen=True)
class PicardEstimator:
    """Points (n, d + 1), number r of realizations, seed → uₙ and its change uₙ - uₙ₋₁, (2, r, n).

    Samples are common to all points, so that a value does not depend on the other points."""

    process: DiffusionProcess
    levels: int = LEVELS
    base: int = BASE

    @property
    def samples_per_row(self) -> int:
        """Samples of the data in a realization."""
        count: int = self.base**self.levels
        return count

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        numbers = self.samples_per_row * points.numel()
        size = max(1, MAX_NUMBERS // numbers)
        parts = [min(size, rows - k) for k in range(0, rows, size)]
        return torch.cat([self._realizations(points, r, seed, k) for k, r in enumerate(parts)], 1)

    def _realizations(self, points: Tensor, rows: int, seed: int, part: int) -> Tensor:
        x, t = (v.expand(rows, *v.shape) for v in (points[:, :-1], points[:, -1]))
        random = generator(points.device, seed, part)
        fine, coarse = (self._iterate(n, x, t, random) for n in (self.levels, self.levels - 1))
        return torch.stack([fine, fine - coarse])

    def _iterate(self, level: int, x: Tensor, t: Tensor, random: torch.Generator) -> Tensor:
        """uₙ at points (s, n, d) and times (s, n), one realization for each s."""
        if not level:
            return torch.zeros_like(t)
        remaining = self._remaining(t)
        count = self.base**level
        ends = self._transition(_repeat(x, count), _repeat(remaining, count), random)
        data = self._data(ends, _repeat(self._end(t), count))
        total = torch.exp(self._rate * remaining) * _mean(data, count)
        for lower in range(level):
            count = self.base ** (level - lower)
            fractions = torch.rand(count * len(x), 1, generator=random, dtype=x.dtype, device=x.device)
            elapsed = fractions * _repeat(remaining, count)
            position = self._transition(_repeat(x, count), elapsed, random)
            moment = _repeat(t, count) + self._direction * elapsed
            values = self._source(position, moment, self._iterate(lower, position, moment, random))
            if lower:
                previous = self._iterate(lower - 1, position, moment, random)
                values = values - self._source(position, moment, previous)
            total = total + remaining * _mean(torch.exp(self._rate * elapsed) * values, count)
        return total

    # ---- The process

    @cached_property
    def _direction(self) -> float:
        assert self.process.data is not None
        return float(self.process.data.direction.value)

    @property
    def _rate(self) -> float:
        return float(self.process.rate)

    def _end(self, t: Tensor) -> Tensor:
        interval = self.process.domain.intervals[-1]
        backward = self._direction == TimeDirection.BACKWARD.value
        return torch.full_like(t, float(interval.start if backward else interval.end))

    def _remaining(self, t: Tensor) -> Tensor:
        return ((self._end(t) - t) * self._direction).clamp_min(0)

    @cached_property
    def _data(self) -> Callable[[Tensor, Tensor], Tensor]:
        assert self.process.data is not None
        data = compile_pointwise((self.process.data.value,), self.process.domain.coordinates)
        return lambda x, t: data(*x.unbind(-1), t)[0]

    @cached_property
    def _source(self) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """f + F."""
        process = self.process
        assert process.unknown is not None
        total = process.source + process.nonlinearity
        compiled = compile_pointwise((total,), (*process.domain.coordinates, process.unknown))
        return lambda x, t, u: compiled(*x.unbind(-1), t, u)[0]

    def _transition(self, x: Tensor, elapsed: Tensor, random: torch.Generator) -> Tensor:
        """X after a time (s, n), with noise common to all points, (s, n, d)."""
        noise = torch.randn(len(x), 1, x.shape[-1], generator=random, dtype=x.dtype, device=x.device)
        time = elapsed.unsqueeze(-1)
        rates = self.process.geometric_rates
        if not self.process.is_constant and rates is not None:
            drift, diffusion = (x.new_tensor([float(pair[k]) for pair in rates]) for k in (0, 1))
            moved: Tensor = x * torch.exp((drift - diffusion) * time + (2 * diffusion * time).sqrt() * noise)
            return moved
        return (
            x + x.new_tensor([float(b) for b in self.process.drift]) * time + time.sqrt() * (noise @ self._root.to(x))
        )

    @cached_property
    def _root(self) -> Tensor:
        """The transposed Cholesky factor of 2A."""
        d = self.process.dimension
        matrix = torch.zeros(d, d, dtype=torch.float64)
        for i, j, a in self.process.matrix:
            matrix[i, j] = matrix[j, i] = 2 * float(a)
        diagonal = matrix.diagonal()
        if bool((matrix == diagonal.diag()).all()):
            return diagonal.sqrt().diag()
        factor: Tensor = torch.linalg.cholesky(matrix)
        return factor.mT


def _repeat(values: Tensor, count: int) -> Tensor:
    """`count` copies along the first axis."""
    return values.repeat(count, *(1,) * (values.dim() - 1))


def _mean(values: Tensor, count: int) -> Tensor:
    """The mean over the copies."""
    means: Tensor = values.reshape(count, -1, *values.shape[1:]).mean(0)
    return means
