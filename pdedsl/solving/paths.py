"""`paths`: a linear equation at single points, by means over random paths, with a confidence interval for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist

import torch
from torch import Tensor, nn

from pdedsl.ir.process import Process
from pdedsl.ir.statement import Statement
from pdedsl.plan.process import process_of
from pdedsl.runtime.streams import mix
from pdedsl.solving.solved import Solved
from pdedsl.solving.tracks import Tracks, tracks_of
from pdedsl.words.solvers import Paths

LEVEL = 0.95
ROWS = 2048  # pairs of paths at a time: the same for every batch, so that a point has the same value in each
NUMBERS = 2**21  # at a time
KEPT = 4  # results: a picture has up to three views


def solve_by_paths(statement: Statement, method: Paths, *, seed: int = 0) -> Solved:
    """Paths are simulated when points are evaluated, on their device and in their dtype."""
    process = process_of(statement)
    doubt = 1 / (2**0.5 - 1) if process.curves else 1.0  # order ½ while steps are long compared with a curve's features
    module = PathMean(tracks_of(process, method.steps), method.samples, seed, doubt)
    return Solved(module, method, notes=(_note(process, method),))


def _note(process: Process, method: Paths) -> str:
    samples = f"{method.samples:,} paths a point, in pairs of opposite noise"
    if process.is_brownian:
        return f"{samples}, from sphere to sphere"
    if process.is_exact:
        return f"{samples}, in one step, which is exact"
    return f"{samples}, in {method.steps} steps of Euler-Maruyama; the interval holds the change from twice the step"


class PathMean(nn.Module):
    """u at points: the mean over pairs of antithetic paths, with the same noise for every point.

    Its values have no derivatives: the mean of derivatives along paths that stop is not the derivative of the mean.
    """

    def __init__(self, tracks: Tracks, samples: int, seed: int, doubt: float = 1.0) -> None:
        """`doubt` times the change from doubling the step is the estimated step error: 1 for first-order errors."""
        super().__init__()
        self.tracks, self.pairs, self.seed, self.doubt = tracks, (samples + 1) // 2, seed, doubt
        self._last: list[tuple[Tensor, tuple[Tensor, Tensor]]] = []

    def forward(self, points: Tensor) -> Tensor:
        return self.interval(points)[0]

    @torch.no_grad()
    def interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """u (n, 1), and half the width of its 95 % interval: the error of the mean plus, if steps are not exact, the
        change from doubling the step, times `doubt`.

        The last results are kept: assessments and pictures ask for the same points several times.
        """
        for known, found in self._last:
            if known.dtype == points.dtype and known.device == points.device and torch.equal(known, points):
                return found
        found = self._fresh(points)
        self._last = [(points.detach().clone(), found), *self._last[: KEPT - 1]]
        return found

    def _fresh(self, points: Tensor) -> tuple[Tensor, Tensor]:
        size = max(1, NUMBERS // (2 * ROWS * points.shape[-1]))
        parts = [self._interval(part) for part in torch.split(points, size)]
        value, half = (torch.cat(column).unsqueeze(-1) for column in zip(*parts, strict=True))
        return value, half

    def _interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        moments = Moments()
        for k, rows in enumerate(_shares(self.pairs)):
            moments = moments.with_rows(self.tracks(points, rows, mix(self.seed, k)))
        z = NormalDist().inv_cdf((1 + LEVEL) / 2)
        deviation = (moments.squares / (self.pairs - 1) / self.pairs).sqrt()
        return moments.mean[0], z * deviation[0] + self.doubt * moments.mean[1].abs()


def _shares(pairs: int) -> list[int]:
    full, rest = divmod(pairs, ROWS)
    return [ROWS] * full + [rest] * bool(rest)


@dataclass(frozen=True)
class Moments:
    """Mean and sum of squared deviations of u and of its change with the step, (2, n) (Chan, Golub, LeVeque 1979)."""

    count: int = 0
    mean: Tensor = field(default_factory=lambda: torch.zeros(()))
    squares: Tensor = field(default_factory=lambda: torch.zeros(()))

    def with_rows(self, rows: Tensor) -> Moments:
        """The moments with more samples, `rows` (2, r, n)."""
        count, mean = rows.shape[1], rows.mean(1)
        apart = mean - self.mean.to(mean)
        total = self.count + count
        squares = (rows - mean.unsqueeze(1)).square().sum(1) + apart.square() * (self.count * count / total)
        return Moments(total, self.mean.to(mean) + apart * (count / total), self.squares.to(mean) + squares)
