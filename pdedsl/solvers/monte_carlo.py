"""Monte Carlo solver (Feynman-Kac): u(x, t) as the expectation of a functional of diffusion paths, at query points.

dX = b dt + √(2A) dW and u(x, t) = E[g(X_τ) exp(∫ c ds) + ∫ f exp(∫ c) ds] (Øksendal 2003, theorems 8.2.1 and 9.1.1).
Paths are absorbed at Dirichlet and reflected at Neumann and Robin boundaries. Antithetic Euler-Maruyama paths, an exact
step where the transition density is Gaussian, walk on spheres for aΔu + f = 0 (Muller 1956). The confidence intervals
include the estimated time-discretization bias (step doubling).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import assert_never

import torch
from sympy import Expr, Heaviside, Mul, S
from torch import Tensor, nn

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.ir.boundary import Face, LevelSet, Place
from pdedsl.ir.diffusion_process import Absorption, DiffusionProcess, Reflection, TimeCondition, TimeDirection
from pdedsl.ir.solver_plans import MonteCarloPlan, PathMethod
from pdedsl.runtime.rng import generator, hash_words
from pdedsl.runtime.sde.absorbed_reflected_paths import (
    BoundedPath,
    DiffusionRoot,
    PathBoundary,
    SdeCoefficients,
    SpaceTimeFunction,
    StepNoise,
    absorbed_value,
    advance_paths,
    start_paths,
)
from pdedsl.runtime.sde.noise import cholesky
from pdedsl.runtime.sde.walk_on_spheres import SphereNoise, SphereWalk, free_radius, sphere_step
from pdedsl.solvers.collocation_points import PointSampler
from pdedsl.solvers.method_result import Levels, SolverResult
from pdedsl.solvers.multilevel_picard import LEVELS, PicardEstimator
from pdedsl.solvers.solver_method import ModuleFormat, SolveOptions, SolverMethod

# ---- Coefficients and boundaries as functions of tensors


ProcessFunctions = Callable[[Tensor, Tensor], tuple[Tensor, ...]]


@dataclass(frozen=True)
class CompiledProcess:
    """The functions of a process, at points (..., d) and times (...)."""

    process: DiffusionProcess

    def functions(self, exprs: Sequence[Expr]) -> ProcessFunctions:
        result = compile_pointwise(exprs, self.process.domain.coordinates)
        timed = self.process.domain.has_time
        return lambda x, t: result(*x.unbind(-1), *((t,) if timed else ()))

    def function(self, expr: Expr) -> SpaceTimeFunction | None:
        """None if the expression is zero."""
        if expr == 0:
            return None
        of = self.functions([expr])
        return lambda x, t: of(x, t)[0]

    @cached_property
    def sde(self) -> SdeCoefficients:
        process = self.process
        drift = self.functions(process.drift)
        clock = 0.0 if process.data is None else float(process.data.direction.value)
        return SdeCoefficients(
            (lambda x, t: torch.stack(drift(x, t), -1)) if any(process.drift) else None,
            self._root(),
            self.function(process.rate),
            self.function(process.source),
            clock,
        )

    def _root(self) -> Callable[[Tensor, Tensor], DiffusionRoot]:
        """√(2A), as a diagonal if A is diagonal."""
        process, d = self.process, self.process.dimension
        entries = {(i, j): 2 * a for i, j, a in process.matrix}
        if all(i == j for i, j in entries):
            diagonal = self.functions([entries.get((k, k), S.Zero) for k in range(d)])
            return lambda x, t: DiffusionRoot(torch.stack(diagonal(x, t), -1).sqrt(), full=False)
        every = self.functions([entries.get((min(i, j), max(i, j)), S.Zero) for i in range(d) for j in range(d)])
        return lambda x, t: DiffusionRoot(cholesky(torch.stack(every(x, t), -1).reshape(*x.shape, d)), full=True)

    # ---- Boundary

    @cached_property
    def bounds(self) -> list[tuple[float, float]]:
        intervals = self.process.domain.intervals[: self.process.dimension]
        return [(float(i.start), float(i.end)) for i in intervals]

    def boundary(self, x: Tensor) -> PathBoundary:
        """The boundary, on the device and in the dtype of x."""
        lower, upper = (torch.tensor(ends, dtype=x.dtype, device=x.device) for ends in zip(*self.bounds, strict=True))
        periodic = [i.periodic for i in self.process.domain.intervals[: self.process.dimension]]
        reflections = [s.place for s in self.process.boundaries if isinstance(s.event, Reflection)]
        curves = [LevelSet(g) in reflections for g in self.process.curves]
        return PathBoundary(
            lower,
            upper,
            self._faces(Absorption, x),
            self._faces(Reflection, x),
            torch.tensor(periodic, device=x.device),
            self.boundary_value,
            self.curves,
            self.robin_coefficients if any(isinstance(place, Face) for place in reflections) else None,
            self.robin_curves if any(curves) else None,
            torch.tensor(curves, device=x.device) if any(curves) else None,
            self.dirichlet_parts if self.process.has_mixed_place else None,
        )

    def _faces(self, kind: type[Absorption | Reflection], x: Tensor) -> Tensor:
        places = [s.place for s in self.process.boundaries if isinstance(s.event, kind)]
        result = [[Face(k, upper) in places for k in range(self.process.dimension)] for upper in (False, True)]
        return torch.tensor(result, device=x.device)

    def face_index(self, place: Place) -> int:
        """2k and 2k + 1 for the faces of coordinate k; then the curves."""
        match place:
            case Face(coordinate=k, upper=upper):
                return 2 * k + int(upper)
            case _:
                return 2 * self.process.dimension + self.process.curves.index(place.expr)

    @cached_property
    def dirichlet_parts(self) -> Callable[[Tensor, Tensor], Tensor]:
        """Which faces and level sets are Dirichlet at the foot of a point, (..., 2d + m)."""
        count = 2 * self.process.dimension + len(self.process.curves)
        conditions = [(self.face_index(b.place), b) for b in self.process.boundaries if isinstance(b.event, Absorption)]
        parts = [(k, b.place, self.functions(b.part) if b.part else None) for k, b in conditions]

        def dirichlet_parts(x: Tensor, t: Tensor) -> Tensor:
            result = torch.zeros(*t.shape, count, dtype=torch.bool, device=x.device)
            for k, place, part in parts:
                inside = True if part is None else torch.stack(part(self._foot(x, place), t)).ge(0).all(0)
                result[..., k] |= inside
            return result

        return dirichlet_parts

    def _foot(self, x: Tensor, place: Place) -> Tensor:
        """The projection onto a face or, to first order, onto a level set."""
        match place:
            case Face(coordinate=k, upper=upper):
                foot = x.clone()
                foot[..., k] = self.bounds[k][upper]
                return foot
            case LevelSet(expr=g):
                assert self.curves is not None
                values, gradients = (v.select(x.dim() - 1, self.process.curves.index(g)) for v in self.curves(x))
                return x - (values / gradients.square().sum(-1)).unsqueeze(-1) * gradients

    @cached_property
    def boundary_value(self) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """Dirichlet value at the exit point, on the part of the face where the condition applies; NaN elsewhere."""
        groups: dict[tuple[Expr, tuple[Expr, ...]], list[int]] = {}
        for boundary in self.process.boundaries:
            if isinstance(boundary.event, Absorption):
                groups.setdefault((boundary.event.value, boundary.part), []).append(self.face_index(boundary.place))
        count = 2 * self.process.dimension + len(self.process.curves)
        rows = [(self.functions([value, *part]), face_indices) for (value, part), face_indices in groups.items()]

        def boundary_value(x: Tensor, t: Tensor, face: Tensor) -> Tensor:
            result = torch.full_like(t, torch.nan)
            for of, face_indices in rows:
                value, *part = of(x, t)
                on_face = torch.zeros(count, dtype=torch.bool, device=x.device)
                on_face[face_indices] = True
                applies = on_face[face] & torch.stack(
                    [torch.ones_like(t, dtype=torch.bool), *(g >= 0 for g in part)]
                ).all(0)
                result = torch.where(applies, value, result)
            return result

        return boundary_value

    @cached_property
    def curves(self) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
        """g (..., m) and ∇g (..., m, d)."""
        result, space = self.process.curves, self.process.domain.space
        if not result:
            return None
        every = self.functions([*result, *(g.diff(x) for g in result for x in space)])

        def curves(x: Tensor) -> tuple[Tensor, Tensor]:
            values = torch.stack(every(x, x[..., 0]), -1)
            return values[..., : len(result)], values[..., len(result) :].reshape(
                *x.shape[:-1], len(result), len(space)
            )

        return curves

    @cached_property
    def robin_coefficients(self) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """κ and γ of ∂u/∂n + κ u = γ on the reflecting faces, (..., 2, d)."""
        d = self.process.dimension
        faces = [Face(k, upper) for upper in (False, True) for k in range(d)]
        every = self.functions([self._robin_coefficient(f, of) for of in ("rate", "value") for f in faces])

        def robin_coefficients(x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
            values = torch.stack(every(x, t), -1).reshape(*t.shape, 2, 2, d)
            return values[..., 0, :, :], values[..., 1, :, :]

        return robin_coefficients

    @cached_property
    def robin_curves(self) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """κ and γ on the level sets, (..., m)."""
        places = [LevelSet(g) for g in self.process.curves]
        every = self.functions([self._robin_coefficient(p, of) for of in ("rate", "value") for p in places])

        def robin_curves(x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
            rates, values = torch.stack(every(x, t), -1).chunk(2, -1)
            return rates, values

        return robin_curves

    def _robin_coefficient(self, place: Place, of: str) -> Expr:
        """Evaluated on a face, and zero outside the part where the condition applies."""
        parts = (
            getattr(s.event, of) * Mul(*(Heaviside(g) for g in s.part))
            for s in self.process.boundaries
            if s.place == place and isinstance(s.event, Reflection)
        )
        total = sum(parts, S.Zero)
        if not isinstance(place, Face):
            return total
        interval, x = self.process.domain.intervals[place.coordinate], self.process.domain.space[place.coordinate]
        return total.xreplace({x: interval.end if place.upper else interval.start})


# ---- Antithetic estimators of u(x, t)


PathEstimator = Callable[[Tensor, int, int], Tensor]
"""Points (n, k), number r of antithetic pairs, seed → estimates and their change under step doubling: (2, r, n)."""

CHECK_EVERY = 32  # steps between checks whether any path is still alive
MAX_EXIT_TIMES = 1000  # mean exit times of the box after which a surviving path is lost (NaN)
SHELL_WIDTH = 1e-6  # ε-shell of the walk on spheres, as a fraction of the smallest box width
VARIANCE_SAMPLES = 1024  # points at which the largest variance is estimated
INCREMENTS, EXIT_TIMES, BRIDGE = 0, 1, 2  # streams of random numbers


def path_estimator(plan: MonteCarloPlan) -> PathEstimator:
    compiled, steps = CompiledProcess(plan.process), plan.method.steps
    match plan.paths:
        case PathMethod.WALK_ON_SPHERES:
            return WalkOnSpheresEstimator(compiled)
        case PathMethod.EXIT_TIME:
            return ExitTimeEstimator(compiled, steps)
        case PathMethod.EVOLUTION | PathMethod.EXACT_STEP:
            assert plan.process.data is not None
            return EvolutionEstimator(compiled, plan.process.data, steps, plan.paths is PathMethod.EXACT_STEP)
        case PathMethod.MULTILEVEL_PICARD:
            return PicardEstimator(plan.process)
        case _:
            assert_never(plan.paths)


def antithetic_mean(values: Tensor) -> Tensor:
    """Mean over antithetic pairs."""
    return torch.stack(values.chunk(2)).mean(0)


@dataclass(frozen=True)
class AntitheticNoise:
    """Random numbers of a step, common to all points: r samples and their antithetic partners, (2r, 1, …)."""

    like: Tensor
    rows: int
    seed: int

    def normal(self, size: int, *key: int) -> Tensor:
        result = self._empty(size).normal_(generator=generator(self.like.device, self.seed, 0, *key))
        return torch.cat([result, -result])

    def uniform(self, size: int, *key: int) -> Tensor:
        result = self._empty(size).uniform_(generator=generator(self.like.device, self.seed, 1, *key))
        return torch.cat([result, 1 - result])

    def draw(self, size: int, *key: int) -> StepNoise:
        return StepNoise(self.normal(size, *key), self.uniform(size, *key))

    def _empty(self, size: int) -> Tensor:
        return torch.empty(self.rows, 1, size, dtype=self.like.dtype, device=self.like.device)


NoiseSource = Callable[[int], StepNoise]


def single_step_noise(noise: AntitheticNoise, size: int) -> NoiseSource:
    return lambda k: noise.draw(size, INCREMENTS, k)


def double_step_noise(noise: AntitheticNoise, size: int) -> NoiseSource:
    """Increments of two steps combined, for the coarse path driven by the same noise."""

    def step_noise(k: int) -> StepNoise:
        first, second = noise.draw(size, INCREMENTS, 2 * k), noise.draw(size, INCREMENTS, 2 * k + 1)
        return StepNoise((first.normal + second.normal) / 2**0.5, second.uniform)

    return step_noise


@dataclass(frozen=True)
class EvolutionEstimator:
    """From (x, t) to the initial or terminal time in equal Euler-Maruyama steps, or in one exact step."""

    compiled: CompiledProcess
    data: TimeCondition
    steps: int
    is_exact: bool = False

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        d = points.shape[-1] - 1
        noise = AntitheticNoise(points, rows, seed)
        if self.is_exact:
            value = self._value(points, noise, 1, single_step_noise(noise, d))
            return torch.stack([value, torch.zeros_like(value)])
        half = self.steps // 2
        fine = self._value(points, noise, 2 * half, single_step_noise(noise, d))
        coarse = self._value(points, noise, half, double_step_noise(noise, d))
        return torch.stack([fine, fine - coarse])

    def _value(self, points: Tensor, noise: AntitheticNoise, steps: int, step_noise: NoiseSource) -> Tensor:
        x, t = points[:, :-1], points[:, -1]
        boundary, sde = self.compiled.boundary(x), self.compiled.sde
        dt = ((self._end - t) * sde.direction).clamp_min(0) / steps
        path = start_paths(x.expand(2 * noise.rows, *x.shape), t.expand(2 * noise.rows, -1))
        for k in range(steps):
            path = advance_paths(path, sde, boundary, dt, step_noise(k))
        data = self.compiled.functions([self.data.value])(path.x, path.t)[0]
        terminal_value = torch.exp(path.log_weight) * data + path.source_integral
        return antithetic_mean(
            torch.where(path.alive, terminal_value, _exit_value(path, self.compiled, boundary, dt, noise))
        )

    @property
    def _end(self) -> float:
        interval = self.compiled.process.domain.intervals[-1]
        return float(interval.start if self.data.direction is TimeDirection.BACKWARD else interval.end)


@dataclass(frozen=True)
class ExitTimeEstimator:
    """Stationary problems: until absorption, with steps that are a fraction of the mean exit time of the box."""

    compiled: CompiledProcess
    steps: int

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        d = points.shape[-1]
        noise, dt = AntitheticNoise(points, rows, seed), self._time(points) / self.steps
        fine = self._value(points, noise, dt, single_step_noise(noise, d))
        coarse = self._value(points, noise, 2 * dt, double_step_noise(noise, d))
        return torch.stack([fine, fine - coarse])

    def _value(self, x: Tensor, noise: AntitheticNoise, dt: Tensor, step_noise: NoiseSource) -> Tensor:
        boundary, sde = self.compiled.boundary(x), self.compiled.sde
        path = start_paths(x.expand(2 * noise.rows, *x.shape), x.new_zeros(2 * noise.rows, x.shape[0]))
        for k in range(MAX_EXIT_TIMES * self.steps):
            path = advance_paths(path, sde, boundary, dt, step_noise(k))
            if k % CHECK_EVERY == CHECK_EVERY - 1 and not path.alive.any():
                break
        result = _exit_value(path, self.compiled, boundary, dt, noise)
        return antithetic_mean(torch.where(path.alive, torch.nan, result))

    def _time(self, points: Tensor) -> Tensor:
        """min over coordinates of (width/2)² / variance, with the largest variance at sample points."""
        boundary = self.compiled.boundary(points)
        sample_points = PointSampler(self.compiled.process.domain, points.device, points.dtype).inside(
            VARIANCE_SAMPLES, 0
        )
        variance = self.compiled.sde.root(sample_points, sample_points[:, 0]).variances().amax(0)
        return ((boundary.upper - boundary.lower).square() / 4 / variance).min().expand(1)


def _exit_value(
    path: BoundedPath, compiled: CompiledProcess, boundary: PathBoundary, dt: Tensor, noise: AntitheticNoise
) -> Tensor:
    """Values of the absorbed paths."""
    if not compiled.process.boundaries:
        return torch.zeros_like(path.log_weight)
    count = 2 * compiled.process.dimension + len(compiled.process.curves)
    bridge = noise.normal(compiled.process.dimension, BRIDGE)
    return absorbed_value(path, compiled.sde, boundary, dt, noise.draw(count, EXIT_TIMES), bridge)


@dataclass(frozen=True)
class WalkOnSpheresEstimator:
    """Walk on spheres for aΔu + f = 0."""

    compiled: CompiledProcess

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        noise, process = AntitheticNoise(points, rows, seed), self.compiled.process
        source, a = self.compiled.function(process.source), float(process.matrix[0][2])
        width = min(high - low for low, high in self.compiled.bounds)
        path = SphereWalk(points.expand(2 * rows, *points.shape), *_initial_state(points, rows))
        for k in range(MAX_EXIT_TIMES * CHECK_EVERY):
            draw = self._draw(noise, points.shape[-1], k)
            path = sphere_step(
                path, self._radius, source and (lambda y: source(y, y[..., 0])), a, SHELL_WIDTH * width, draw
            )
            if k % CHECK_EVERY == CHECK_EVERY - 1 and not path.alive.any():
                break
        face = self._radii(path.x).argmin(-1)
        value = self.compiled.boundary_value(path.x, path.x[..., 0], face) + path.source_integral
        result = antithetic_mean(torch.where(path.alive, torch.nan, value))
        return torch.stack([result, torch.zeros_like(result)])

    def _draw(self, noise: AntitheticNoise, d: int, k: int) -> SphereNoise:
        if self.compiled.process.source == 0:
            zero = noise.like.new_zeros(1)
            return SphereNoise(noise.normal(d, INCREMENTS, k), zero, zero)
        return SphereNoise(noise.normal(d, INCREMENTS, k), noise.normal(d, BRIDGE, k), noise.uniform(2, EXIT_TIMES, k))

    def _radius(self, x: Tensor) -> Tensor:
        return self._radii(x).amin(-1)

    def _radii(self, x: Tensor) -> Tensor:
        """Distance to each Dirichlet face, and a lower bound of the distance to each curve."""
        boundary = self.compiled.boundary(x)
        faces = torch.stack([x - boundary.lower, boundary.upper - x], -2)
        radii = torch.where(boundary.absorbing, faces, torch.inf).mT.flatten(-2)
        if self.compiled.curves is None:
            return radii
        return torch.cat([radii, free_radius(*self.compiled.curves(x), self._curvature_bounds(x))], -1)

    def _curvature_bounds(self, x: Tensor) -> Tensor:
        process = self.compiled.process
        return torch.tensor(
            [float(process.curvature_bound(g) or 0) for g in process.curves], dtype=x.dtype, device=x.device
        )


def _initial_state(points: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    nothing = points.new_zeros(2 * rows, points.shape[0])
    return nothing, torch.ones_like(nothing, dtype=torch.bool)


# ---- Solution with confidence intervals


CONFIDENCE_LEVEL = 0.95  # of the intervals at each point
MIN_ROWS = 30  # realizations of an estimator, enough for a normal approximation
PAIRS_PER_BATCH = 2048  # fixed, so that the value at a point does not depend on the batch
MAX_BATCH_NUMBERS = 2**21  # in memory at a time
CACHED_RESULTS = 4  # a plot has up to three slices


def solve_by_monte_carlo(plan: MonteCarloPlan, *, seed: int = 0) -> SolverResult:
    """Paths are simulated when the solution is evaluated, on the device and in the dtype of the points."""
    # order ½ at curved boundaries, and where the type of the condition changes on a face
    bias_factor = 1 / (2**0.5 - 1) if plan.process.curves or plan.process.has_mixed_place else 1.0
    estimator = path_estimator(plan)
    samples = estimator.samples_per_row if isinstance(estimator, PicardEstimator) else 2
    rows = max(MIN_ROWS, -(-plan.method.samples // samples))
    module = MonteCarloSolution(estimator, rows, seed, bias_factor)
    return SolverResult(module, plan.method, notes=(_note(plan),))


def _note(plan: MonteCarloPlan) -> str:
    samples = f"{plan.method.samples:,} paths per point, antithetic variates"
    if plan.paths is PathMethod.MULTILEVEL_PICARD:
        return (
            f"{plan.method.samples:,} samples of the data per point, multilevel Picard iteration with {LEVELS} levels; "
            "intervals include the change by the last iteration"
        )
    if plan.paths in (PathMethod.WALK_ON_SPHERES, PathMethod.EXACT_STEP):
        return f"{samples}, {plan.paths.value}"
    bias = "intervals include the estimated time-discretization bias (step doubling)"
    return f"{samples}, Euler-Maruyama with {plan.method.steps} steps; {bias}"


class MonteCarloSolution(nn.Module):
    """u at points: the mean over antithetic pairs, with common random numbers for all points.

    Not differentiable: the mean of pathwise derivatives of absorbed paths is not the derivative of the mean.
    """

    has_derivatives = False  # for the residuals of equations

    def __init__(self, estimator: PathEstimator, pairs: int, seed: int, bias_factor: float = 1.0) -> None:
        """The estimated bias is `bias_factor` times the change under step doubling: 1 for weak order one."""
        super().__init__()
        self.estimator, self.pairs, self.seed, self.bias_factor = estimator, pairs, seed, bias_factor
        self._cache: list[tuple[Tensor, tuple[Tensor, Tensor]]] = []

    def forward(self, points: Tensor) -> Tensor:
        return self.interval(points)[0]

    @torch.no_grad()
    def interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        """u (n, 1), and the half-width of its 95 % confidence interval, which includes the estimated bias.

        The last results are cached: verification and plots evaluate the same points several times.
        """
        for known, result in self._cache:
            if known.dtype == points.dtype and known.device == points.device and torch.equal(known, points):
                return result
        result = self._simulate(points)
        self._cache = [(points.detach().clone(), result), *self._cache[: CACHED_RESULTS - 1]]
        return result

    def _simulate(self, points: Tensor) -> tuple[Tensor, Tensor]:
        size = max(1, MAX_BATCH_NUMBERS // (2 * PAIRS_PER_BATCH * points.shape[-1]))
        parts = [self._interval(part) for part in torch.split(points, size)]
        value, half = (torch.cat(column).unsqueeze(-1) for column in zip(*parts, strict=True))
        return value, half

    def _interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        statistics = RunningMoments()
        for k, rows in enumerate(_batch_sizes(self.pairs)):
            statistics = statistics.with_rows(self.estimator(points, rows, hash_words(self.seed, k)))
        z = NormalDist().inv_cdf((1 + CONFIDENCE_LEVEL) / 2)
        deviation = (statistics.squares / (self.pairs - 1) / self.pairs).sqrt()
        return statistics.mean[0], z * deviation[0] + self.bias_factor * statistics.mean[1].abs()


def _batch_sizes(pairs: int) -> list[int]:
    full, rest = divmod(pairs, PAIRS_PER_BATCH)
    return [PAIRS_PER_BATCH] * full + [rest] * bool(rest)


@dataclass(frozen=True)
class RunningMoments:
    """Mean and sum of squared deviations of u and of its change under step doubling, (2, n) (Chan et al. 1979)."""

    count: int = 0
    mean: Tensor = field(default_factory=lambda: torch.zeros(()))
    squares: Tensor = field(default_factory=lambda: torch.zeros(()))

    def with_rows(self, rows: Tensor) -> RunningMoments:
        """Updated with the samples `rows` (2, r, n)."""
        count, mean = rows.shape[1], rows.mean(1)
        delta = mean - self.mean.to(mean)
        total = self.count + count
        squares = (rows - mean.unsqueeze(1)).square().sum(1) + delta.square() * (self.count * count / total)
        return RunningMoments(total, self.mean.to(mean) + delta * (count / total), self.squares.to(mean) + squares)


# ---- The method


MAX_SAMPLES = 10_000_000  # of the finest level: the limit of time
SAMPLE_GROWTH = 4  # ratio of the numbers of samples of two levels: it halves the confidence intervals


def _solve(plan: MonteCarloPlan, options: SolveOptions) -> SolverResult:
    return solve_by_monte_carlo(plan, seed=options.seed)


def _levels(plan: MonteCarloPlan, options: SolveOptions) -> Levels:
    samples = plan.method.samples
    while samples <= MAX_SAMPLES:
        yield _solve(plan.resize(samples), options)
        samples *= SAMPLE_GROWTH


METHOD = SolverMethod[MonteCarloPlan](
    _solve,
    _levels,
    (ModuleFormat("paths", MonteCarloSolution, lambda stored: _solve(stored.plan, stored.options).module),),
)
