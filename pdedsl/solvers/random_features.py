"""Residuals of sums of sines, as a least-squares problem for their weights and for further learned numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from pdedsl.config.methods import RandomFeatures
from pdedsl.ir.problem import Derivative, StrongForm
from pdedsl.problem.parameters import learned_scalars, with_parameter_symbols
from pdedsl.problem.symmetry import is_exchangeable, parities_of
from pdedsl.runtime.basis.random_features import (
    CoordinateBox,
    FourierFeatureModel,
    FourierFeatures,
    FourierFeatureValues,
    PermutationInvariantFeatures,
    PermutationInvariantFeatureValues,
    SymmetrizedFeatures,
    SymmetrizedFeatureValues,
    sample_fourier_features,
)
from pdedsl.runtime.linalg import solve_least_squares
from pdedsl.runtime.rng import hash_words
from pdedsl.runtime.sampling import PointDistribution
from pdedsl.solvers.collocation_points import CPU, PointSampler
from pdedsl.solvers.method_result import Estimate, SolverResult
from pdedsl.solvers.pinn.residuals import LinearizedResidual, Measurement, PointCounts, ResidualRows, residual_rows
from pdedsl.solvers.pinn.trainer import noise_variance

# ---- sine_system


MAX_GAUSS_NEWTON_STEPS = 30  # of Gauss-Newton
MAX_HALVINGS = 8
AnyFeatures = FourierFeatures | SymmetrizedFeatures | PermutationInvariantFeatures
RESIDUAL_RTOL = 1e-3  # relative change of the residual below which Gauss-Newton ends


@dataclass(frozen=True)
class Coefficients:
    """Weights (c, n) of the sines, and learned numbers."""

    weights: Tensor
    numbers: Tensor

    def moved(self, direction: Tensor, share: float) -> Coefficients:
        count = self.weights.numel()
        weights, numbers = direction[:count], direction[count:]
        return Coefficients(self.weights + share * weights.view_as(self.weights), self.numbers + share * numbers)


@dataclass(frozen=True)
class LeastSquaresSystem:
    """Rows in terms of the sines of `waves` for each component and of learned numbers, which begin at `start`."""

    waves: AnyFeatures
    rows: Sequence[ResidualRows]
    components: int
    start: Tensor

    @cached_property
    def at(self) -> tuple[FourierFeatureValues | SymmetrizedFeatureValues | PermutationInvariantFeatureValues, ...]:
        return tuple(self.waves.at(r.points) for r in self.rows)

    def residual(self, found: Coefficients) -> Tensor:
        """All weighted residuals."""
        return torch.cat([r.weight * self._of(k, found)[0] for k, r in enumerate(self.rows)])

    def mean_residual(self, found: Coefficients) -> float:
        """√ of the sum of the mean squares of all rows."""
        squares = [(r.weight * self._of(k, found)[0]).square().mean() for k, r in enumerate(self.rows)]
        return float(torch.stack(squares).sum().sqrt())

    def solved(self, affine: bool) -> tuple[Coefficients, float, int]:
        """Gauss-Newton with step halving, from u = 0; an affine problem takes one step."""
        found = Coefficients(self.waves.phases.new_zeros(self.components, len(self.waves.phases)), self.start)
        residual = self.residual(found)
        loss = float(residual.norm())
        for steps in range(1, MAX_GAUSS_NEWTON_STEPS + 1):
            direction = solve_least_squares(self._slopes(found), -residual)
            found, residual = self._shortened(found, direction, loss)
            before, loss = loss, float(residual.norm())
            if affine or loss > (1 - RESIDUAL_RTOL) * before:
                return found, loss / len(residual) ** 0.5, steps
        return found, loss / len(residual) ** 0.5, MAX_GAUSS_NEWTON_STEPS

    def _shortened(self, found: Coefficients, direction: Tensor, loss: float) -> tuple[Coefficients, Tensor]:
        share = 1.0
        for _ in range(MAX_HALVINGS):
            moved = self._settled(found.moved(direction, share))
            residual = self.residual(moved)
            if float(residual.norm()) < loss:
                return moved, residual
            share /= 2
        return found, self.residual(found)

    def _settled(self, found: Coefficients) -> Coefficients:
        """With the weights refitted to the new numbers: changing both at once violates the equations, which weigh much
        more than measurements, by the product of the two changes (variable projection; Golub, Pereyra 1973)."""
        if not len(self.start):
            return found
        own = self._slopes(found)[:, : found.weights.numel()]
        direction = solve_least_squares(own, -self.residual(found))
        return found.moved(torch.cat([direction, torch.zeros_like(found.numbers)]), 1.0)

    def deviations(self, found: Coefficients, measured: int) -> list[float]:
        """√ of the diagonal of σ²(JᵀJ)⁻¹ for the numbers, with the weights eliminated; σ² is that of the measurements,
        which are the last `measured` rows, and J is in their units."""
        unit, count = self.rows[-1].weight, sum(len(r.points) for r in self.rows[-measured:])
        noise = noise_variance(self.residual(found)[-count:] / unit, len(self.start))
        slopes = self._slopes(found) / unit
        own, rest = slopes[:, -len(self.start) :], slopes[:, : -len(self.start)]
        free = torch.stack([c - rest @ solve_least_squares(rest, c) for c in own.unbind(-1)], -1)
        return [float(d) for d in (noise * torch.linalg.inv(free.T @ free)).diagonal().sqrt()]

    def _of(self, k: int, found: Coefficients) -> tuple[Tensor, tuple[Tensor, ...]]:
        wanted = self.rows[k].derivatives
        values: dict[Derivative, Tensor] = {}
        for component in range(self.components):
            own = [d for d in wanted if d.component == component]
            if own:
                columns = self.at[k].values([d.orders for d in own], found.weights[component])
                values |= dict(zip(own, columns, strict=True))
        for d in wanted:
            if d.component >= self.components:
                values[d] = found.numbers[d.component - self.components].expand(len(self.rows[k].points))
        return self.rows[k].at([values[d] for d in wanted])

    def _slopes(self, found: Coefficients) -> Tensor:
        """∂(weighted residuals)/∂(weights, numbers), the components one after another."""
        return torch.cat([self._block(k, self._of(k, found)[1]) for k in range(len(self.rows))])

    def _block(self, k: int, slopes: tuple[Tensor, ...]) -> Tensor:
        rows, blocks = self.rows[k], []
        pairs = [(rows.weight * s, d) for s, d in zip(slopes, rows.derivatives, strict=True)]
        for component in range(self.components):
            own = [(s, d.orders) for s, d in pairs if d.component == component]
            blocks.append(self.at[k].combined([s for s, _ in own], [o for _, o in own]))
        numbers = rows.points.new_zeros(len(rows.points), len(self.start))
        for s, d in pairs:
            if d.component >= self.components:
                numbers[:, d.component - self.components] = s
        return torch.cat([*blocks, numbers], 1)


# ---- features
# `features(n)`: sines of random frequencies, whose last layer is found by least squares.
#
# For equations that are affine in the unknown this is one linear problem; otherwise Gauss-Newton solves one per step.
# The bandwidth of the frequencies, one number per coordinate, is the one with the smallest residual at points that
# were not used in the fit.


BANDWIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # bandwidths, in coordinates scaled to [-1, 1]
TRIAL_FEATURES = 400  # number of features with which bandwidths are compared
BANDWIDTH_FACTOR, MAX_BANDWIDTH_STEPS = 1.4, 3  # factor by which the bandwidth is increased, and how often at most
MAX_PERMUTED_COORDINATES = 5  # coordinates of which all orders are taken
SYMMETRIC_FEATURES = 200  # features, if they are: as many as symmetric polynomials in five coordinates up to degree 12
MAX_WEIGHTS = 4000  # weights of a second attempt in many dimensions
MANY_WEIGHTS = 1500  # weights from which there are fewer rows for each
MEASUREMENT_WEIGHT = 1e-3  # the weight of measurements relative to equations
three_digits = "{:.3g}".format


def solve_by_random_features(
    statement: StrongForm,
    method: RandomFeatures,
    *,
    seed: int = 0,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float64,
    measured: Sequence[Measurement] = (),
) -> SolverResult:
    """The solution in the span of `method.n` sines; it is computed in float64, whatever `dtype` is."""
    problem = FeatureProblem(statement, method, PointSampler(statement.domain, device or CPU), seed, tuple(measured))
    fit = _fit_with_bandwidth_search(problem)
    waves, weights = (
        (fit.waves, fit.weights) if isinstance(fit.waves, FourierFeatures) else fit.waves.spread(fit.weights)
    )
    module = FourierFeatureModel(waves, weights).to(dtype=dtype)
    bandwidths = ", ".join(map(three_digits, fit.bandwidth.tolist()))
    drawn = f"{len(fit.waves.phases)} random Fourier features, bandwidths {bandwidths}"
    notes = (drawn, problem.symmetries) if problem.symmetries else (drawn,)
    metrics = {"fresh_residual": fit.fresh, "residual": fit.loss, "steps": float(fit.steps)}
    return SolverResult(module, method, metrics, notes, _estimate_parameters(problem, fit))


@dataclass(frozen=True)
class FeatureProblem:
    statement: StrongForm
    method: RandomFeatures
    points: PointSampler
    seed: int
    measured: tuple[Measurement, ...] = ()

    @cached_property
    def lettered(self) -> StrongForm:
        return with_parameter_symbols(self.statement)

    @cached_property
    def numbers(self) -> Tensor:
        """The letters of learned numbers at their initial values."""
        starts = [n.start for n in learned_scalars(self.statement)]
        return torch.tensor(starts, dtype=self.points.dtype, device=self.points.device)

    @property
    def features(self) -> int:
        """The number of features: by default more in more dimensions."""
        return self.method.n or {1: 200, 2: 700}.get(
            len(self.points.low), SYMMETRIC_FEATURES if self.shuffled else 1200
        )

    @property
    def most(self) -> int:
        """The number of features of a second attempt, if the first leaves too large a residual."""
        most = 2000 if self.few else max(2000, MAX_WEIGHTS // len(self.statement.components))
        return self.method.n or {1: 400, 2: 1400}.get(
            len(self.points.low), SYMMETRIC_FEATURES if self.shuffled else most
        )

    @property
    def fine(self) -> float:
        """The residual, relative to the solution, below which nothing is gained; larger with noisy measurements."""
        return 1e-7 if self.measured else 1e-12

    @property
    def few(self) -> bool:
        return len(self.points.low) <= 3

    @property
    def enough(self) -> float:
        """The residual above which there is a second attempt; in many dimensions a smaller one would take too long."""
        return 1e-7 if self.few else 3e-5

    @property
    def sides(self) -> CoordinateBox:
        low, high = self.points.low, self.points.high
        return CoordinateBox((low + high) / 2, (high - low) / 2, torch.tensor(self.points.joined))

    @cached_property
    def parities(self) -> tuple[int, ...]:
        """Of the solution about the middle of each coordinate; not asked for in few dimensions, where sines abound."""
        return (0,) * len(self.points.low) if self.few else parities_of(self.statement)

    @cached_property
    def shuffled(self) -> bool:
        """Whether the order of the coordinates does not matter, and they are not too many to be put in all orders."""
        size = len(self.points.low)
        return (
            not self.few
            and size <= MAX_PERMUTED_COORDINATES
            and not any(self.parities)
            and is_exchangeable(self.statement)
        )

    @property
    def symmetries(self) -> str:
        if self.shuffled:
            return "permutation-invariant features, as the problem is"
        names = zip(self.statement.domain.coordinates, self.parities, strict=True)
        kinds = [f"{'even' if p > 0 else 'odd'} in {x}" for x, p in names if p]
        return f"features {', '.join(kinds)} about the center of the domain, as the problem is" if kinds else ""

    def drawn(self, features: int, bandwidth: Tensor) -> AnyFeatures:
        """Random sines with the symmetries of the problem."""
        plain = sample_fourier_features(features, self.sides, bandwidth, hash_words(self.seed, 4))
        if self.shuffled:
            return PermutationInvariantFeatures(plain)
        if any(self.parities):
            return SymmetrizedFeatures(plain.frequencies, plain.phases, self.sides.center, self.parities)
        return plain

    @property
    def law(self) -> PointDistribution:
        """Points are denser near the sides in few dimensions; in many, nearly all points are near a side anyway."""
        return PointDistribution.CHEBYSHEV if self.few else PointDistribution.SOBOL

    def rows(self, features: int) -> list[ResidualRows]:
        """Three rows for each weight; in many dimensions two if there are many, so that there can be more of them."""
        unknowns = features * len(self.statement.components)
        within, around = (2.0, 1.0) if self.few or unknowns <= MANY_WEIGHTS else (1.2, 0.8)
        inside = int(within * unknowns) // max(len(self.statement.equations), 1)
        on = max(20, int(around * unknowns) // max(len(self.statement.conditions), 1))
        counts = PointCounts(self.method.points or inside, on)
        weight = float(self.method.weight)
        return [
            *residual_rows(self.lettered, self.points, counts, hash_words(self.seed, 2), self.law, weight),
            *self.of_measured(),
        ]

    def of_measured(self) -> list[ResidualRows]:
        """Weighted much less than equations, which hold exactly."""
        coordinates, given = self.statement.domain.coordinates, (m.to(self.points) for m in self.measured)
        return [
            ResidualRows(LinearizedResidual(m.residual, coordinates), m.points, MEASUREMENT_WEIGHT, m.values)
            for m in given
        ]

    def fresh(self) -> list[ResidualRows]:
        counts = PointCounts(500, max(20, 500 // max(len(self.statement.conditions), 1)))
        return residual_rows(self.lettered, self.points, counts, hash_words(self.seed, 3), PointDistribution.SOBOL, 1.0)


@dataclass(frozen=True)
class Fit:
    """Weights (c, n), the residual that they leave, and the residual at fresh points, in units of the unknown."""

    waves: AnyFeatures
    bandwidth: Tensor
    found: Coefficients
    loss: float
    fresh: float
    steps: int

    @property
    def weights(self) -> Tensor:
        return self.found.weights


def _fit_with_bandwidth_search(problem: FeatureProblem) -> Fit:
    if problem.method.bandwidth is not None:
        bandwidth = torch.full_like(problem.sides.half_widths, float(problem.method.bandwidth))
        return _fit(problem, problem.rows(problem.features), problem.fresh(), problem.features, bandwidth)
    trial = _search_bandwidth(problem)
    if problem.method.n is None and trial.fresh < problem.fine:
        return trial
    return _with_all_features(problem, trial.bandwidth)


def _search_bandwidth(problem: FeatureProblem) -> Fit:
    """The best of a ladder of bandwidths common to all coordinates, then twice or half as much for each coordinate."""
    features = min(problem.features // 3 if problem.shuffled else TRIAL_FEATURES, problem.features)
    rows, fresh = problem.rows(features), problem.fresh()

    def fit(bandwidth: Tensor) -> Fit:
        return _fit(problem, rows, fresh, features, bandwidth)

    bandwidths = (torch.full_like(problem.sides.half_widths, s) for s in BANDWIDTHS)
    even = _scan_bandwidths(fit, bandwidths, problem.fine, 1e3 if problem.few else 10.0)
    return even if problem.shuffled else _coordinate_search(fit, even, problem.fine)


def _scan_bandwidths(fit: Callable[[Tensor], Fit], bandwidths: Iterator[Tensor], fine: float, passed: float) -> Fit:
    """The smallest residual; the ladder is abandoned once it has clearly been passed."""
    best: Fit | None = None
    for bandwidth in bandwidths:
        found = fit(bandwidth)
        if best is None or found.fresh < best.fresh:
            best = found
        if best.fresh < fine or found.fresh > passed * best.fresh:
            break
    assert best is not None
    return best


def _coordinate_search(fit: Callable[[Tensor], Fit], best: Fit, fine: float) -> Fit:
    for k in range(len(best.bandwidth)):
        for factor in (2.0, 0.5):
            if best.fresh < fine:
                return best
            changed = best.bandwidth.clone()
            changed[k] *= factor
            best = min(best, fit(changed), key=_test_residual)
    return best


def _with_all_features(problem: FeatureProblem, bandwidth: Tensor) -> Fit:
    best = _increase_bandwidth(problem, problem.features, bandwidth)
    if best.fresh < problem.enough or problem.most == problem.features:
        return best
    return min(best, _increase_bandwidth(problem, problem.most, best.bandwidth), key=_test_residual)


def _increase_bandwidth(problem: FeatureProblem, features: int, bandwidth: Tensor) -> Fit:
    """More features can carry higher frequencies: the bandwidth is increased as long as that helps."""
    rows, fresh = problem.rows(features), problem.fresh()
    best = _fit(problem, rows, fresh, features, bandwidth)
    for _ in range(MAX_BANDWIDTH_STEPS if problem.few else 0):
        found = (
            best
            if best.fresh < problem.fine
            else _fit(problem, rows, fresh, features, BANDWIDTH_FACTOR * best.bandwidth)
        )
        if found.fresh >= best.fresh:
            break
        best = found
    evener = (best.bandwidth * best.bandwidth.log().mean().exp()).sqrt()  # found only to factors of two
    if not problem.few or best.fresh < problem.fine or torch.allclose(evener, best.bandwidth):
        return best
    return min(best, _fit(problem, rows, fresh, features, evener), key=_test_residual)


def _test_residual(fit: Fit) -> float:
    return fit.fresh


def _fit(
    problem: FeatureProblem,
    rows: Sequence[ResidualRows],
    fresh: Sequence[ResidualRows],
    features: int,
    bandwidth: Tensor,
) -> Fit:
    waves = problem.drawn(features, bandwidth).to(rows[0].points)
    components = len(problem.statement.components)
    system, check = (LeastSquaresSystem(waves, r, components, problem.numbers) for r in (rows, fresh))
    found, loss, steps = system.solved(problem.statement.is_affine)
    return Fit(waves, bandwidth, found, loss, check.mean_residual(found), steps)


def _estimate_parameters(problem: FeatureProblem, fit: Fit) -> dict[str, Estimate]:
    """Learned numbers, with standard deviations that follow from the noise of the measurements."""
    numbers = learned_scalars(problem.statement)
    if not numbers:
        return {}
    rows = problem.rows(len(fit.waves.phases))
    system = LeastSquaresSystem(fit.waves, rows, len(problem.statement.components), problem.numbers)
    deviations = system.deviations(fit.found, len(problem.measured)) if problem.measured else [None] * len(numbers)
    found = {}
    for n, letter, deviation in zip(numbers, fit.found.numbers.tolist(), deviations, strict=True):
        value, slope = (float(e.xreplace({n.letter: letter})) for e in (n.value, n.value.diff(n.letter)))
        found[n.name] = Estimate(value, None if deviation is None else abs(slope) * deviation)
    return found
