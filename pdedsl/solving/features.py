"""`features(n)`: sines of random frequencies, whose last layer is found by least squares.

For equations that are affine in the unknown this is one linear problem; for others Gauss-Newton solves one a step. The
bandwidth of the frequencies, one number for each coordinate, is the one with the least residual on points that had no
part in the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pdedsl.ir.statement import Statement
from pdedsl.runtime.least_squares import solution_of
from pdedsl.runtime.sampling import Law
from pdedsl.runtime.sines import Sides, SineNetwork, Waves, WavesAt, random_waves
from pdedsl.runtime.streams import mix
from pdedsl.solving.points import CPU, Points
from pdedsl.solving.rows import Counts, Rows, rows_of
from pdedsl.solving.solved import Solved
from pdedsl.words.solvers import Features

LADDER = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # bandwidths, in coordinates that go from -1 to 1
TRIAL = 400  # features with which bandwidths are compared
FINE = 1e-12  # a residual, relative to the solution, below which there is nothing to gain
STEPS = 30  # of Gauss-Newton
HALVINGS = 8
WIDENING, WIDER = 1.4, 3  # more bandwidth, and how often
CHANGE = 1e-3  # of the residual, below which Gauss-Newton has ended
PRINTED = "{:.3g}".format


def solve_by_features(
    statement: Statement,
    method: Features,
    *,
    seed: int = 0,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float64,
) -> Solved:
    """The solution in the span of `method.n` sines; the numbers are found in float64, whatever `dtype` is."""
    problem = Problem(statement, method, Points(statement.domain, device or CPU), seed)
    fit = _fitted(problem)
    module = SineNetwork(fit.waves, fit.weights).to(dtype=dtype)
    notes = (f"{len(fit.waves.phases)} sines of bandwidth {', '.join(map(PRINTED, fit.bandwidth.tolist()))}",)
    figures = {"fresh_residual": fit.fresh, "residual": fit.loss, "steps": float(fit.steps)}
    return Solved(module, method, figures, notes)


@dataclass(frozen=True)
class Problem:
    statement: Statement
    method: Features
    points: Points
    seed: int

    @property
    def features(self) -> int:
        """By default more in more dimensions."""
        return self.method.n or {1: 200, 2: 700}.get(len(self.points.low), 1200)

    @property
    def most(self) -> int:
        """Features of a second attempt, where the first leaves too much of the residual."""
        return self.method.n or {1: 400, 2: 1400}.get(len(self.points.low), 2000)

    @property
    def few(self) -> bool:
        return len(self.points.low) <= 3

    @property
    def enough(self) -> float:
        """The residual above which there is a second attempt; in many dimensions more takes too long."""
        return 1e-7 if self.few else 3e-5

    @property
    def sides(self) -> Sides:
        low, high = self.points.low, self.points.high
        return Sides((low + high) / 2, (high - low) / 2, torch.tensor(self.points.joined))

    @property
    def law(self) -> Law:
        """Nearer to the sides in few dimensions; in many, nearly all points are near one."""
        return Law.CHEBYSHEV if self.few else Law.SOBOL

    def rows(self, features: int) -> list[Rows]:
        """About twice as many as there are weights."""
        unknowns = features * len(self.statement.components)
        inside = 2 * unknowns // max(len(self.statement.equations), 1)
        on = max(20, unknowns // max(len(self.statement.conditions), 1))
        counts = Counts(self.method.points or inside, on)
        return rows_of(self.statement, self.points, counts, mix(self.seed, 2), self.law, float(self.method.weight))

    def fresh(self) -> list[Rows]:
        counts = Counts(500, max(20, 500 // max(len(self.statement.conditions), 1)))
        return rows_of(self.statement, self.points, counts, mix(self.seed, 3), Law.SOBOL, 1.0)


@dataclass(frozen=True)
class Fit:
    """Weights (c, n), the residual that they leave, and that on fresh points, in units of the unknown."""

    waves: Waves
    bandwidth: Tensor
    weights: Tensor
    loss: float
    fresh: float
    steps: int


def _fitted(problem: Problem) -> Fit:
    if problem.method.bandwidth is not None:
        bandwidth = torch.full_like(problem.sides.half, float(problem.method.bandwidth))
        return _fit(problem, problem.rows(problem.features), problem.fresh(), problem.features, bandwidth)
    trial = _trial(problem)
    if problem.method.n is None and trial.fresh < FINE:
        return trial
    return _with_all_features(problem, trial.bandwidth)


def _trial(problem: Problem) -> Fit:
    """The best of a ladder of bandwidths for all coordinates together, and then twice or half as much for each."""
    features = min(TRIAL, problem.features)
    rows, fresh = problem.rows(features), problem.fresh()

    def fit(bandwidth: Tensor) -> Fit:
        return _fit(problem, rows, fresh, features, bandwidth)

    return _climbed(fit, _best(fit, (torch.full_like(problem.sides.half, s) for s in LADDER)))


def _best(fit: Callable[[Tensor], Fit], bandwidths: Iterator[Tensor]) -> Fit:
    """The least residual; the ladder is left when it has been passed clearly."""
    best: Fit | None = None
    for bandwidth in bandwidths:
        found = fit(bandwidth)
        if best is None or found.fresh < best.fresh:
            best = found
        if best.fresh < FINE or found.fresh > 1e3 * best.fresh:
            break
    assert best is not None
    return best


def _climbed(fit: Callable[[Tensor], Fit], best: Fit) -> Fit:
    for k in range(len(best.bandwidth)):
        for factor in (2.0, 0.5):
            if best.fresh < FINE:
                return best
            changed = best.bandwidth.clone()
            changed[k] *= factor
            best = min(best, fit(changed), key=_fresh)
    return best


def _with_all_features(problem: Problem, bandwidth: Tensor) -> Fit:
    best = _widened(problem, problem.features, bandwidth)
    if best.fresh < problem.enough or problem.most == problem.features:
        return best
    return min(best, _widened(problem, problem.most, best.bandwidth), key=_fresh)


def _widened(problem: Problem, features: int, bandwidth: Tensor) -> Fit:
    """More features carry higher frequencies: more bandwidth is tried as long as it helps."""
    rows, fresh = problem.rows(features), problem.fresh()
    best = _fit(problem, rows, fresh, features, bandwidth)
    for _ in range(WIDER if problem.few else 0):
        found = best if best.fresh < FINE else _fit(problem, rows, fresh, features, WIDENING * best.bandwidth)
        if found.fresh >= best.fresh:
            break
        best = found
    return best


def _fresh(fit: Fit) -> float:
    return fit.fresh


def _fit(problem: Problem, rows: Sequence[Rows], fresh: Sequence[Rows], features: int, bandwidth: Tensor) -> Fit:
    waves = random_waves(features, problem.sides, bandwidth, mix(problem.seed, 4)).to(rows[0].points)
    system = System(waves, rows, [waves.at(r.points) for r in rows], len(problem.statement.components))
    weights, loss, steps = system.solved(system.nothing(), problem.statement.is_affine)
    check = System(waves, fresh, [waves.at(r.points) for r in fresh], len(problem.statement.components))
    return Fit(waves, bandwidth, weights, loss, check.mean_residual(weights), steps)


@dataclass(frozen=True)
class System:
    """The residuals of sums of sines, as a least-squares problem for their weights (c, n)."""

    waves: Waves
    rows: Sequence[Rows]
    at: Sequence[WavesAt]
    components: int

    def nothing(self) -> Tensor:
        return self.waves.phases.new_zeros(self.components, len(self.waves.phases))

    def residual(self, weights: Tensor) -> Tensor:
        """All weighted residuals."""
        return torch.cat([r.weight * self._of(k, weights)[0] for k, r in enumerate(self.rows)])

    def mean_residual(self, weights: Tensor) -> float:
        """√ of the sum of their mean squares."""
        squares = [(r.weight * self._of(k, weights)[0]).square().mean() for k, r in enumerate(self.rows)]
        return float(torch.stack(squares).sum().sqrt())

    def solved(self, weights: Tensor, affine: bool) -> tuple[Tensor, float, int]:
        """Gauss-Newton with halved steps; an affine problem takes one."""
        residual = self.residual(weights)
        loss = float(residual.norm())
        for steps in range(1, STEPS + 1):
            direction = solution_of(self._slopes(weights), -residual).reshape_as(weights)
            weights, residual = self._shortened(weights, direction, loss)
            before, loss = loss, float(residual.norm())
            if affine or loss > (1 - CHANGE) * before:
                return weights, loss / len(residual) ** 0.5, steps
        return weights, loss / len(residual) ** 0.5, STEPS

    def _shortened(self, weights: Tensor, direction: Tensor, loss: float) -> tuple[Tensor, Tensor]:
        share = 1.0
        for _ in range(HALVINGS):
            residual = self.residual(weights + share * direction)
            if float(residual.norm()) < loss:
                break
            share /= 2
        else:
            return weights, self.residual(weights)
        return weights + share * direction, residual

    def _of(self, k: int, weights: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        rows, at = self.rows[k], self.at[k]
        values = [at.values(d.orders, weights[d.component]) for d in rows.derivatives]
        return rows.slopes(rows.points, values)

    def _slopes(self, weights: Tensor) -> Tensor:
        """∂(weighted residuals)/∂weights, the components one after another."""
        return torch.cat([self._block(k, self._of(k, weights)[1]) for k in range(len(self.rows))])

    def _block(self, k: int, slopes: tuple[Tensor, ...]) -> Tensor:
        rows, blocks = self.rows[k], []
        for component in range(self.components):
            own = [(s, d.orders) for s, d in zip(slopes, rows.derivatives, strict=True) if d.component == component]
            blocks.append(self.at[k].combined([rows.weight * s for s, _ in own], [o for _, o in own]))
        return torch.cat(blocks, 1)
