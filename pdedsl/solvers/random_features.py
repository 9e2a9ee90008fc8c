"""Random Fourier features: u = Σ wᵢ sin(kᵢ·x + φᵢ) with random frequencies; the weights minimise the residuals.

Collocation of all equations and conditions gives a least-squares problem for the weights (Rahimi, Recht 2007; extreme
learning machine: Dong, Li 2021): one linear problem if they are affine in the unknowns, otherwise Gauss-Newton. The
bandwidth of the frequencies, one per coordinate, minimises the residual at held-out collocation points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from pdedsl.ir.parameters import learned_scalars
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative
from pdedsl.ir.solver_plans import RandomFeaturesPlan
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
from pdedsl.solvers.ansatz import add_lifts
from pdedsl.solvers.collocation_points import CPU, PointSampler
from pdedsl.solvers.method_result import TEST_RESIDUAL, Levels, ParameterEstimate, SolverResult
from pdedsl.solvers.pinn.residuals import (
    LinearizedResidual,
    Measurement,
    PointCounts,
    ResidualRows,
    initial_scalars,
    residual_rows,
)
from pdedsl.solvers.pinn.trainer import noise_variance
from pdedsl.solvers.solver_method import ModuleFormat, SolveOptions, SolverMethod, StoredModule

# ---- Least-squares system


MAX_GAUSS_NEWTON_STEPS = 30  # of Gauss-Newton
MAX_HALVINGS = 8  # of a Gauss-Newton step
AnyFeatures = FourierFeatures | SymmetrizedFeatures | PermutationInvariantFeatures
RESIDUAL_RTOL = 1e-3  # relative change of the residual below which Gauss-Newton ends


@dataclass(frozen=True)
class Coefficients:
    """Weights (c, n) of the features, and learned scalars."""

    weights: Tensor
    scalars: Tensor

    def step(self, direction: Tensor, step_size: float) -> Coefficients:
        count = self.weights.numel()
        weights, scalars = direction[:count], direction[count:]
        return Coefficients(
            self.weights + step_size * weights.view_as(self.weights), self.scalars + step_size * scalars
        )


@dataclass(frozen=True)
class LeastSquaresSystem:
    """Weighted residuals as functions of the weights of each component and of learned scalars, initially `start`."""

    basis: AnyFeatures
    rows: Sequence[ResidualRows]
    components: int
    start: Tensor

    @cached_property
    def basis_at(
        self,
    ) -> tuple[FourierFeatureValues | SymmetrizedFeatureValues | PermutationInvariantFeatureValues, ...]:
        return tuple(self.basis.at(r.points) for r in self.rows)

    def residual(self, coefficients: Coefficients) -> Tensor:
        """All weighted residuals."""
        return torch.cat([r.weight * self._evaluate(k, coefficients)[0] for k, r in enumerate(self.rows)])

    def mean_residual(self, coefficients: Coefficients) -> float:
        """√ of the sum of the mean squares of all rows."""
        squares = [(r.weight * self._evaluate(k, coefficients)[0]).square().mean() for k, r in enumerate(self.rows)]
        return float(torch.stack(squares).sum().sqrt())

    def solve(self, affine: bool, is_exhausted: Callable[[], bool]) -> tuple[Coefficients, float, int]:
        """Gauss-Newton with step halving, from u = 0; an affine problem takes one step. It ends with the CPU time."""
        coefficients = Coefficients(self.basis.phases.new_zeros(self.components, len(self.basis.phases)), self.start)
        residual = self.residual(coefficients)
        loss = float(residual.norm())
        for steps in range(1, MAX_GAUSS_NEWTON_STEPS + 1):
            direction = solve_least_squares(self._jacobian(coefficients), -residual)
            coefficients, residual = self._line_search(coefficients, direction, loss)
            before, loss = loss, float(residual.norm())
            if affine or loss > (1 - RESIDUAL_RTOL) * before or is_exhausted():
                return coefficients, loss / len(residual) ** 0.5, steps
        return coefficients, loss / len(residual) ** 0.5, MAX_GAUSS_NEWTON_STEPS

    def _line_search(self, coefficients: Coefficients, direction: Tensor, loss: float) -> tuple[Coefficients, Tensor]:
        step_size = 1.0
        for _ in range(MAX_HALVINGS):
            trial = self._refit_weights(coefficients.step(direction, step_size))
            residual = self.residual(trial)
            if float(residual.norm()) < loss:
                return trial, residual
            step_size /= 2
        return coefficients, self.residual(coefficients)

    def _refit_weights(self, coefficients: Coefficients) -> Coefficients:
        """Refits the weights to the new scalars: changing both at once violates the equations, which weigh much
        more than measurements, by the product of the two changes (variable projection; Golub, Pereyra 1973)."""
        if not len(self.start):
            return coefficients
        columns = self._jacobian(coefficients)[:, : coefficients.weights.numel()]
        direction = solve_least_squares(columns, -self.residual(coefficients))
        return coefficients.step(torch.cat([direction, torch.zeros_like(coefficients.scalars)]), 1.0)

    def standard_deviations(self, coefficients: Coefficients, measurements: int) -> list[float]:
        """√ of the diagonal of σ²(JᵀJ)⁻¹ for the scalars, with the weights eliminated; σ² is that of the measurements,
        which are the last `measurements` rows, and J is in their units."""
        unit, count = self.rows[-1].weight, sum(len(r.points) for r in self.rows[-measurements:])
        noise = noise_variance(self.residual(coefficients)[-count:] / unit, len(self.start))
        jacobian = self._jacobian(coefficients) / unit
        own, rest = jacobian[:, -len(self.start) :], jacobian[:, : -len(self.start)]
        free = torch.stack([c - rest @ solve_least_squares(rest, c) for c in own.unbind(-1)], -1)
        return [float(d) for d in (noise * torch.linalg.inv(free.T @ free)).diagonal().sqrt()]

    def _evaluate(self, k: int, coefficients: Coefficients) -> tuple[Tensor, tuple[Tensor, ...]]:
        wanted = self.rows[k].derivatives
        values: dict[Derivative, Tensor] = {}
        for component in range(self.components):
            own = [d for d in wanted if d.component == component]
            if own:
                columns = self.basis_at[k].values([d.orders for d in own], coefficients.weights[component])
                values |= dict(zip(own, columns, strict=True))
        for d in wanted:
            if d.component >= self.components:
                values[d] = coefficients.scalars[d.component - self.components].expand(len(self.rows[k].points))
        return self.rows[k].at([values[d] for d in wanted])

    def _jacobian(self, coefficients: Coefficients) -> Tensor:
        """∂(weighted residuals)/∂(weights, scalars), the components one after another."""
        return torch.cat([self._block(k, self._evaluate(k, coefficients)[1]) for k in range(len(self.rows))])

    def _block(self, k: int, partials: tuple[Tensor, ...]) -> Tensor:
        rows, blocks = self.rows[k], []
        pairs = [(rows.weight * s, d) for s, d in zip(partials, rows.derivatives, strict=True)]
        for component in range(self.components):
            own = [(s, d.orders) for s, d in pairs if d.component == component]
            blocks.append(self.basis_at[k].combine([s for s, _ in own], [o for _, o in own]))
        scalars = rows.points.new_zeros(len(rows.points), len(self.start))
        for s, d in pairs:
            if d.component >= self.components:
                scalars[:, d.component - self.components] = s
        return torch.cat([*blocks, scalars], 1)


# ---- Feature sampling and bandwidth search


BANDWIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # in coordinates scaled to [-1, 1]
TRIAL_FEATURES = 400  # for the bandwidth search
BANDWIDTH_FACTOR, MAX_BANDWIDTH_STEPS = 1.4, 3  # of the increase after the search
MANY_WEIGHTS = 1500  # above, there are fewer rows per weight
MEASUREMENT_WEIGHT = 1e-3  # relative to the equations
three_digits = "{:.3g}".format


def solve_by_random_features(
    plan: RandomFeaturesPlan,
    *,
    seed: int = 0,
    device: torch.device | None = None,
    dtype: torch.dtype = torch.float64,
    measurements: Sequence[Measurement] = (),
    is_exhausted: Callable[[], bool] = lambda: False,
) -> SolverResult:
    """The solution in the span of random Fourier features, computed in float64 and cast to `dtype`. The search of a
    bandwidth ends with the best one so far when `is_exhausted`."""
    sampler = PointSampler(plan.problem.domain, device or CPU)
    problem = FeatureProblem(plan, sampler, seed, tuple(measurements), is_exhausted)
    fit = _fit_with_bandwidth_search(problem)
    basis, weights = (
        (fit.basis, fit.weights) if isinstance(fit.basis, FourierFeatures) else fit.basis.spread(fit.weights)
    )
    module = add_lifts(FourierFeatureModel(basis, weights).to(dtype=dtype), plan.lifts, plan.problem.domain.coordinates)
    bandwidths = ", ".join(map(three_digits, fit.bandwidth.tolist()))
    note = f"{len(fit.basis.phases)} random Fourier features, bandwidths {bandwidths}"
    notes = (note, plan.symmetry_text) if plan.symmetry_text else (note,)
    metrics = {TEST_RESIDUAL: fit.test_residual, "training residual": fit.loss, "steps": float(fit.steps)}
    return SolverResult(module, plan.method, metrics, notes, _estimate_parameters(problem, fit))


@dataclass(frozen=True)
class FeatureProblem:
    """Least-squares problem of a plan: features and rows of residuals; `is_exhausted` ends searches."""

    plan: RandomFeaturesPlan
    points: PointSampler
    seed: int
    measurements: tuple[Measurement, ...] = ()
    is_exhausted: Callable[[], bool] = lambda: False

    @property
    def statement(self) -> StrongForm:
        return self.plan.problem

    @cached_property
    def scalars(self) -> Tensor:
        return initial_scalars(self.statement, self.points)

    @property
    def target_residual(self) -> float:
        """Test residual, in units of the unknown, at which the search stops; larger with noisy measurements."""
        return 1e-7 if self.measurements else 1e-12

    @property
    def retry_residual(self) -> float:
        """Test residual above which the fit is repeated with more features; larger in high dimensions (cost)."""
        return 1e-7 if self.plan.is_low_dimensional else 3e-5

    @cached_property
    def box(self) -> CoordinateBox:
        antiperiodic = [k in self.statement.antiperiodic_axes for k in range(len(self.points.low))]
        return replace(self.points.box, antiperiodic=torch.tensor(antiperiodic))

    def sample_features(self, n_features: int, bandwidth: Tensor) -> AnyFeatures:
        """Random Fourier features with the symmetries of the problem."""
        plain = sample_fourier_features(n_features, self.box, bandwidth, hash_words(self.seed, 4))
        if self.plan.permutation_invariant:
            return PermutationInvariantFeatures(plain)
        if any(self.plan.parities):
            return SymmetrizedFeatures(plain.frequencies, plain.phases, self.box.center, self.plan.parities)
        return plain

    @property
    def point_distribution(self) -> PointDistribution:
        """Denser near the boundary in low dimensions; in high dimensions nearly all points are near it anyway."""
        return PointDistribution.CHEBYSHEV if self.plan.is_low_dimensional else PointDistribution.SOBOL

    def rows(self, n_features: int) -> list[ResidualRows]:
        """Three rows per weight; two for many weights in high dimensions, to save memory."""
        n_weights = n_features * len(self.statement.components)
        interior_ratio, condition_ratio = (
            (2.0, 1.0) if self.plan.is_low_dimensional or n_weights <= MANY_WEIGHTS else (1.2, 0.8)
        )
        inside = int(interior_ratio * n_weights) // max(len(self.statement.equations), 1)
        on = max(20, int(condition_ratio * n_weights) // max(len(self.statement.conditions), 1))
        counts = PointCounts(self.plan.method.points or inside, on)
        weight = float(self.plan.method.weight)
        return [
            *residual_rows(
                self.plan.parametrized, self.points, counts, hash_words(self.seed, 2), self.point_distribution, weight
            ),
            *self.measurement_rows(),
        ]

    def measurement_rows(self) -> list[ResidualRows]:
        """Weighted much less than the equations, which hold exactly."""
        coordinates = self.statement.domain.coordinates
        return [
            ResidualRows(LinearizedResidual(m.residual, coordinates), m.points, MEASUREMENT_WEIGHT, m.values)
            for m in (m.to(self.points) for m in self.measurements)
        ]

    def test_rows(self) -> list[ResidualRows]:
        """Residuals at held-out collocation points."""
        counts = PointCounts(500, max(20, 500 // max(len(self.statement.conditions), 1)))
        return residual_rows(
            self.plan.parametrized, self.points, counts, hash_words(self.seed, 3), PointDistribution.SOBOL, 1.0
        )


@dataclass(frozen=True)
class Fit:
    """A least-squares fit: features, coefficients, training residual and test residual, in units of the unknown."""

    basis: AnyFeatures
    bandwidth: Tensor
    coefficients: Coefficients
    loss: float
    test_residual: float
    steps: int

    @property
    def weights(self) -> Tensor:
        return self.coefficients.weights


def _fit_with_bandwidth_search(problem: FeatureProblem) -> Fit:
    if problem.plan.method.bandwidth is not None:
        bandwidth = torch.full_like(problem.box.half_widths, float(problem.plan.method.bandwidth))
        return _fit(
            problem, problem.rows(problem.plan.n_features), problem.test_rows(), problem.plan.n_features, bandwidth
        )
    trial = _search_bandwidth(problem)
    if (problem.plan.method.n is None and trial.test_residual < problem.target_residual) or problem.is_exhausted():
        return trial
    return _fit_all_features(problem, trial.bandwidth)


def _search_bandwidth(problem: FeatureProblem) -> Fit:
    """Best isotropic bandwidth, then a coordinate search by factors of two."""
    n_features = min(
        problem.plan.n_features // 3 if problem.plan.permutation_invariant else TRIAL_FEATURES, problem.plan.n_features
    )
    rows, test_rows = problem.rows(n_features), problem.test_rows()

    def fit(bandwidth: Tensor) -> Fit:
        return _fit(problem, rows, test_rows, n_features, bandwidth)

    bandwidths = (torch.full_like(problem.box.half_widths, s) for s in BANDWIDTHS)
    stop_ratio = 1e3 if problem.plan.is_low_dimensional else 10.0
    isotropic = _scan_bandwidths(problem, fit, bandwidths, stop_ratio)
    return isotropic if problem.plan.permutation_invariant else _coordinate_search(problem, fit, isotropic)


def _scan_bandwidths(
    problem: FeatureProblem, fit: Callable[[Tensor], Fit], bandwidths: Iterator[Tensor], stop_ratio: float
) -> Fit:
    """The bandwidth of smallest test residual; stops once the residual exceeds the best one by `stop_ratio`."""
    best: Fit | None = None
    for bandwidth in bandwidths:
        trial = fit(bandwidth)
        if best is None or trial.test_residual < best.test_residual:
            best = trial
        found = best.test_residual < problem.target_residual
        if found or trial.test_residual > stop_ratio * best.test_residual or problem.is_exhausted():
            break
    assert best is not None
    return best


def _coordinate_search(problem: FeatureProblem, fit: Callable[[Tensor], Fit], best: Fit) -> Fit:
    for k in range(len(best.bandwidth)):
        for factor in (2.0, 0.5):
            if best.test_residual < problem.target_residual or problem.is_exhausted():
                return best
            changed = best.bandwidth.clone()
            changed[k] *= factor
            best = min(best, fit(changed), key=_test_residual)
    return best


def _fit_all_features(problem: FeatureProblem, bandwidth: Tensor) -> Fit:
    best = _increase_bandwidth(problem, problem.plan.n_features, bandwidth)
    if best.test_residual < problem.retry_residual or problem.plan.max_features == problem.plan.n_features:
        return best
    return min(best, _increase_bandwidth(problem, problem.plan.max_features, best.bandwidth), key=_test_residual)


def _increase_bandwidth(problem: FeatureProblem, n_features: int, bandwidth: Tensor) -> Fit:
    """Increases the bandwidth while the test residual falls: more features can resolve higher frequencies."""
    rows, test_rows = problem.rows(n_features), problem.test_rows()
    best = _fit(problem, rows, test_rows, n_features, bandwidth)
    for _ in range(MAX_BANDWIDTH_STEPS if problem.plan.is_low_dimensional else 0):
        trial = (
            best
            if best.test_residual < problem.target_residual
            else _fit(problem, rows, test_rows, n_features, BANDWIDTH_FACTOR * best.bandwidth)
        )
        if trial.test_residual >= best.test_residual:
            break
        best = trial
    smoothed = (best.bandwidth * best.bandwidth.log().mean().exp()).sqrt()  # found only to factors of two
    if (
        not problem.plan.is_low_dimensional
        or best.test_residual < problem.target_residual
        or torch.allclose(smoothed, best.bandwidth)
    ):
        return best
    return min(best, _fit(problem, rows, test_rows, n_features, smoothed), key=_test_residual)


def _test_residual(fit: Fit) -> float:
    return fit.test_residual


def _fit(
    problem: FeatureProblem,
    rows: Sequence[ResidualRows],
    test_rows: Sequence[ResidualRows],
    n_features: int,
    bandwidth: Tensor,
) -> Fit:
    basis = problem.sample_features(n_features, bandwidth).to(rows[0].points)
    components = len(problem.statement.components)
    system, check = (LeastSquaresSystem(basis, r, components, problem.scalars) for r in (rows, test_rows))
    coefficients, loss, steps = system.solve(problem.statement.is_affine, problem.is_exhausted)
    return Fit(basis, bandwidth, coefficients, loss, check.mean_residual(coefficients), steps)


def _estimate_parameters(problem: FeatureProblem, fit: Fit) -> dict[str, ParameterEstimate]:
    """Learned scalars, with standard deviations from the noise of the measurements."""
    scalars = learned_scalars(problem.statement)
    if not scalars:
        return {}
    rows = problem.rows(len(fit.basis.phases))
    system = LeastSquaresSystem(fit.basis, rows, len(problem.statement.components), problem.scalars)
    standard_deviations = (
        system.standard_deviations(fit.coefficients, len(problem.measurements))
        if problem.measurements
        else [None] * len(scalars)
    )
    coefficients = {}
    for n, number, deviation in zip(scalars, fit.coefficients.scalars.tolist(), standard_deviations, strict=True):
        value, derivative = (float(e.xreplace({n.symbol: number})) for e in (n.value, n.value.diff(n.symbol)))
        coefficients[n.name] = ParameterEstimate(value, None if deviation is None else abs(derivative) * deviation)
    return coefficients


# ---- The method


COARSENING = 4  # ratio of the default number of features to that of the first level
MAX_FEATURES = 4000  # of the finest level, for one unknown: the limit of memory and time


def _solve(plan: RandomFeaturesPlan, options: SolveOptions) -> SolverResult:
    return solve_by_random_features(
        plan,
        seed=options.seed,
        device=options.device,
        measurements=options.measurements,
        is_exhausted=lambda: options.budget.is_exhausted,
    )


def _levels(plan: RandomFeaturesPlan, options: SolveOptions) -> Levels:
    """The number of features doubles, with independent frequencies on each level."""
    n, level = plan.max_features // COARSENING, 0
    while n * len(plan.problem.components) <= MAX_FEATURES:
        sized = replace(plan, n_features=n, max_features=n)
        result = _solve(sized, replace(options, seed=options.seed + level))
        yield replace(result, method=replace(plan.method, n=n))
        n, level = 2 * n, level + 1


def _rebuild(stored: StoredModule[RandomFeaturesPlan]) -> FourierFeatureModel:
    frequencies, phases, weights = (stored.tensors[name] for name in ("frequencies", "phases", "weights"))
    (n, _), (_, m) = frequencies.shape, weights.shape
    if n != m or phases.shape != (n,):
        raise ValueError(f"{n} frequencies, {m} weights and phases of the shape {tuple(phases.shape)}")
    return FourierFeatureModel(FourierFeatures(frequencies, phases), weights)


METHOD = SolverMethod[RandomFeaturesPlan](_solve, _levels, (ModuleFormat("sines", FourierFeatureModel, _rebuild),))
