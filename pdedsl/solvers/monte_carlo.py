"""Process → functions of tensors for its paths: of a motion, of its sides and of its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist

import torch
from sympy import Expr, Heaviside, Mul, S
from torch import Tensor, nn

from pdedsl.codegen.expressions import compile_pointwise
from pdedsl.config.methods import MonteCarlo
from pdedsl.ir.problem import Face, Place, StrongForm
from pdedsl.ir.process import Absorption, DiffusionProcess, Reflection, TimeCondition, TimeDirection
from pdedsl.problem.diffusion_process import process_of
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
from pdedsl.solvers.method_result import SolverResult

# ---- processes


ProcessFunctions = Callable[[Tensor, Tensor], tuple[Tensor, ...]]


@dataclass(frozen=True)
class CompiledProcess:
    """The functions of a process, at points (..., d) and times (...)."""

    process: DiffusionProcess

    def functions(self, exprs: Sequence[Expr]) -> ProcessFunctions:
        found = compile_pointwise(exprs, self.process.domain.coordinates)
        timed = self.process.domain.has_time
        return lambda x, t: found(*x.unbind(-1), *((t,) if timed else ()))

    def function(self, expr: Expr) -> SpaceTimeFunction | None:
        """None if the expression is zero."""
        if expr == 0:
            return None
        of = self.functions([expr])
        return lambda x, t: of(x, t)[0]

    @cached_property
    def motion(self) -> SdeCoefficients:
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

    # ---- sides

    @cached_property
    def bounds(self) -> list[tuple[float, float]]:
        intervals = self.process.domain.intervals[: self.process.dimension]
        return [(float(i.start), float(i.end)) for i in intervals]

    def sides(self, x: Tensor) -> PathBoundary:
        """The sides, on the device and in the dtype of x."""
        lower, upper = (torch.tensor(ends, dtype=x.dtype, device=x.device) for ends in zip(*self.bounds, strict=True))
        wraps = [i.periodic for i in self.process.domain.intervals[: self.process.dimension]]
        pulled = any(isinstance(s.event, Reflection) for s in self.process.boundaries)
        return PathBoundary(
            lower,
            upper,
            self._faces(Absorption, x),
            self._faces(Reflection, x),
            torch.tensor(wraps, device=x.device),
            self.given,
            self.curves,
            self.pull if pulled else None,
        )

    def _faces(self, kind: type[Absorption | Reflection], x: Tensor) -> Tensor:
        places = [s.place for s in self.process.boundaries if isinstance(s.event, kind)]
        found = [[Face(k, upper) in places for k in range(self.process.dimension)] for upper in (False, True)]
        return torch.tensor(found, device=x.device)

    def number(self, place: Place) -> int:
        """2k and 2k + 1 for the faces of coordinate k; then the curves."""
        match place:
            case Face(coordinate=k, upper=upper):
                return 2 * k + int(upper)
            case _:
                return 2 * self.process.dimension + self.process.curves.index(place.expr)

    @cached_property
    def given(self) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
        """u where paths end: the value given on a side, on the part where that condition holds; NaN elsewhere."""
        groups: dict[tuple[Expr, tuple[Expr, ...]], list[int]] = {}
        for side in self.process.boundaries:
            if isinstance(side.event, Absorption):
                groups.setdefault((side.event.value, side.part), []).append(self.number(side.place))
        count = 2 * self.process.dimension + len(self.process.curves)
        rows = [(self.functions([value, *part]), numbers) for (value, part), numbers in groups.items()]

        def given(x: Tensor, t: Tensor, face: Tensor) -> Tensor:
            found = torch.full_like(t, torch.nan)
            for of, numbers in rows:
                value, *part = of(x, t)
                held = torch.zeros(count, dtype=torch.bool, device=x.device)
                held[numbers] = True
                here = held[face] & torch.stack([torch.ones_like(t, dtype=torch.bool), *(g >= 0 for g in part)]).all(0)
                found = torch.where(here, value, found)
            return found

        return given

    @cached_property
    def curves(self) -> Callable[[Tensor], tuple[Tensor, Tensor]] | None:
        """g (..., m) and ∇g (..., m, d)."""
        found, space = self.process.curves, self.process.domain.space
        if not found:
            return None
        every = self.functions([*found, *(g.diff(x) for g in found for x in space)])

        def curves(x: Tensor) -> tuple[Tensor, Tensor]:
            values = torch.stack(every(x, x[..., 0]), -1)
            return values[..., : len(found)], values[..., len(found) :].reshape(*x.shape[:-1], len(found), len(space))

        return curves

    @cached_property
    def pull(self) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
        """κ and γ of the faces that reflect, (..., 2, d)."""
        d = self.process.dimension
        faces = [Face(k, upper) for upper in (False, True) for k in range(d)]
        every = self.functions([self._pulled(f, of) for of in ("rate", "value") for f in faces])

        def pull(x: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
            values = torch.stack(every(x, t), -1).reshape(*t.shape, 2, 2, d)
            return values[..., 0, :, :], values[..., 1, :, :]

        return pull

    def _pulled(self, face: Face, of: str) -> Expr:
        """Evaluated on the face itself, and zero outside the part of it where the condition holds."""
        interval, x = self.process.domain.intervals[face.coordinate], self.process.domain.space[face.coordinate]
        parts = (
            getattr(s.event, of) * Mul(*(Heaviside(g) for g in s.part))
            for s in self.process.boundaries
            if s.place == face and isinstance(s.event, Reflection)
        )
        return sum(parts, S.Zero).xreplace({x: interval.end if face.upper else interval.start})


# ---- tracks
# Pairs of antithetic paths from points to where they end, and the value of u that each pair gives.


PathEstimator = Callable[[Tensor, int, int], Tensor]
"""Points (n, k), the number r of pairs and a seed → u by each pair, and its change from twice the step: (2, r, n)."""

CHECK_EVERY = 32  # steps between checks for paths that have not ended
MAX_EXIT_TIMES = 1000  # mean exit times of the box after which a path that has not ended counts as lost: NaN
SHELL_WIDTH = 1e-6  # as a fraction of the box: a walk on spheres that is nearer to a side has reached it
VARIANCE_SAMPLES = 1024  # points at which the variance is looked at
INCREMENTS, EXIT_TIMES, BRIDGE = 0, 1, 2  # purposes of random numbers


def path_estimator(process: DiffusionProcess, steps: int) -> PathEstimator:
    tensors = CompiledProcess(process)
    if process.is_brownian:
        return WalkOnSpheresEstimator(tensors)
    if process.data is None:
        return ExitTimeEstimator(tensors, steps)
    return EvolutionEstimator(tensors, process.data, steps)


def antithetic_mean(values: Tensor) -> Tensor:
    """The mean over each path and its antithetic partner."""
    return torch.stack(values.chunk(2)).mean(0)


@dataclass(frozen=True)
class AntitheticNoise:
    """The random numbers of a step, the same for all points: r rows and their antithetic partners, (2r, 1, …)."""

    like: Tensor
    rows: int
    seed: int

    def normal(self, size: int, *words: int) -> Tensor:
        found = self._empty(size).normal_(generator=generator(self.like.device, self.seed, 0, *words))
        return torch.cat([found, -found])

    def uniform(self, size: int, *words: int) -> Tensor:
        found = self._empty(size).uniform_(generator=generator(self.like.device, self.seed, 1, *words))
        return torch.cat([found, 1 - found])

    def draw(self, size: int, *words: int) -> StepNoise:
        return StepNoise(self.normal(size, *words), self.uniform(size, *words))

    def _empty(self, size: int) -> Tensor:
        return torch.empty(self.rows, 1, size, dtype=self.like.dtype, device=self.like.device)


NoiseSource = Callable[[int], StepNoise]


def single_step_noise(chance: AntitheticNoise, size: int) -> NoiseSource:
    return lambda k: chance.draw(size, INCREMENTS, k)


def double_step_noise(chance: AntitheticNoise, size: int) -> NoiseSource:
    """Two steps in one, with the same noise."""

    def drawn(k: int) -> StepNoise:
        first, second = chance.draw(size, INCREMENTS, 2 * k), chance.draw(size, INCREMENTS, 2 * k + 1)
        return StepNoise((first.normal + second.normal) / 2**0.5, second.uniform)

    return drawn


@dataclass(frozen=True)
class EvolutionEstimator:
    """From a point (x, t) to the data, in equal steps; one step suffices if it is exact."""

    tensors: CompiledProcess
    data: TimeCondition
    steps: int

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        d = points.shape[-1] - 1
        chance = AntitheticNoise(points, rows, seed)
        if self.tensors.process.has_exact_step:
            value = self._value(points, chance, 1, single_step_noise(chance, d))
            return torch.stack([value, torch.zeros_like(value)])
        half = self.steps // 2
        fine = self._value(points, chance, 2 * half, single_step_noise(chance, d))
        coarse = self._value(points, chance, half, double_step_noise(chance, d))
        return torch.stack([fine, fine - coarse])

    def _value(self, points: Tensor, chance: AntitheticNoise, steps: int, drawn: NoiseSource) -> Tensor:
        x, t = points[:, :-1], points[:, -1]
        sides, motion = self.tensors.sides(x), self.tensors.motion
        dt = ((self._end - t) * motion.clock).clamp_min(0) / steps
        path = start_paths(x.expand(2 * chance.rows, *x.shape), t.expand(2 * chance.rows, -1))
        for k in range(steps):
            path = advance_paths(path, motion, sides, dt, drawn(k))
        data = self.tensors.functions([self.data.value])(path.x, path.t)[0]
        arrived = torch.exp(path.growth) * data + path.gained
        return antithetic_mean(torch.where(path.alive, arrived, _exit_value(path, self.tensors, sides, dt, chance)))

    @property
    def _end(self) -> float:
        interval = self.tensors.process.domain.intervals[-1]
        return float(interval.start if self.data.direction is TimeDirection.BACKWARD else interval.end)


@dataclass(frozen=True)
class ExitTimeEstimator:
    """Until a side is reached; a step is a fraction of the time in which noise leaves the box from its middle."""

    tensors: CompiledProcess
    steps: int

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        d = points.shape[-1]
        chance, dt = AntitheticNoise(points, rows, seed), self._time(points) / self.steps
        fine = self._value(points, chance, dt, single_step_noise(chance, d))
        coarse = self._value(points, chance, 2 * dt, double_step_noise(chance, d))
        return torch.stack([fine, fine - coarse])

    def _value(self, x: Tensor, chance: AntitheticNoise, dt: Tensor, drawn: NoiseSource) -> Tensor:
        sides, motion = self.tensors.sides(x), self.tensors.motion
        path = start_paths(x.expand(2 * chance.rows, *x.shape), x.new_zeros(2 * chance.rows, x.shape[0]))
        for k in range(MAX_EXIT_TIMES * self.steps):
            path = advance_paths(path, motion, sides, dt, drawn(k))
            if k % CHECK_EVERY == CHECK_EVERY - 1 and not path.alive.any():
                break
        found = _exit_value(path, self.tensors, sides, dt, chance)
        return antithetic_mean(torch.where(path.alive, torch.nan, found))

    def _time(self, points: Tensor) -> Tensor:
        """The least (width/2)²/variance of a coordinate, with the largest variance at points spread over the domain."""
        sides = self.tensors.sides(points)
        spread = PointSampler(self.tensors.process.domain, points.device, points.dtype).inside(VARIANCE_SAMPLES, 0)
        variance = self.tensors.motion.root(spread, spread[:, 0]).variances().amax(0)
        return ((sides.upper - sides.lower).square() / 4 / variance).min().expand(1)


def _exit_value(
    path: BoundedPath, tensors: CompiledProcess, sides: PathBoundary, dt: Tensor, chance: AntitheticNoise
) -> Tensor:
    """The values given by paths that reached a side."""
    if not tensors.process.boundaries:
        return torch.zeros_like(path.growth)
    count = 2 * tensors.process.dimension + len(tensors.process.curves)
    bridge = chance.normal(tensors.process.dimension, BRIDGE)
    return absorbed_value(path, tensors.motion, sides, dt, chance.draw(count, EXIT_TIMES), bridge)


@dataclass(frozen=True)
class WalkOnSpheresEstimator:
    """aΔu + f = 0, by a walk on spheres."""

    tensors: CompiledProcess

    def __call__(self, points: Tensor, rows: int, seed: int) -> Tensor:
        chance, process = AntitheticNoise(points, rows, seed), self.tensors.process
        source, a = self.tensors.function(process.source), float(process.matrix[0][2])
        width = min(high - low for low, high in self.tensors.bounds)
        path = SphereWalk(points.expand(2 * rows, *points.shape), *_initial_state(points, rows))
        for k in range(MAX_EXIT_TIMES * CHECK_EVERY):
            draw = self._draw(chance, points.shape[-1], k)
            path = sphere_step(
                path, self._radius, source and (lambda y: source(y, y[..., 0])), a, SHELL_WIDTH * width, draw
            )
            if k % CHECK_EVERY == CHECK_EVERY - 1 and not path.alive.any():
                break
        face = self._radii(path.x).argmin(-1)
        value = self.tensors.given(path.x, path.x[..., 0], face) + path.gained
        found = antithetic_mean(torch.where(path.alive, torch.nan, value))
        return torch.stack([found, torch.zeros_like(found)])

    def _draw(self, chance: AntitheticNoise, d: int, k: int) -> SphereNoise:
        if self.tensors.process.source == 0:
            still = chance.like.new_zeros(1)
            return SphereNoise(chance.normal(d, INCREMENTS, k), still, still)
        return SphereNoise(
            chance.normal(d, INCREMENTS, k), chance.normal(d, BRIDGE, k), chance.uniform(2, EXIT_TIMES, k)
        )

    def _radius(self, x: Tensor) -> Tensor:
        return self._radii(x).amin(-1)

    def _radii(self, x: Tensor) -> Tensor:
        """The distance to each face where paths end, and for each curve a distance that is not too large."""
        sides = self.tensors.sides(x)
        faces = torch.stack([x - sides.lower, sides.upper - x], -2)
        radii = torch.where(sides.stops, faces, torch.inf).mT.flatten(-2)
        if self.tensors.curves is None:
            return radii
        return torch.cat([radii, free_radius(*self.tensors.curves(x), self._bends(x))], -1)

    def _bends(self, x: Tensor) -> Tensor:
        process = self.tensors.process
        return torch.tensor(
            [float(process.curvature_bound(g) or 0) for g in process.curves], dtype=x.dtype, device=x.device
        )


def _initial_state(points: Tensor, rows: int) -> tuple[Tensor, Tensor]:
    nothing = points.new_zeros(2 * rows, points.shape[0])
    return nothing, torch.ones_like(nothing, dtype=torch.bool)


# ---- paths
# `paths`: a linear equation at single points, by means over random paths, with a confidence interval for each.


CONFIDENCE_LEVEL = 0.95
PAIRS_PER_BATCH = 2048  # pairs of paths at a time: the same for every batch, so that a point has the same value in each
MAX_BATCH_NUMBERS = 2**21  # at a time
CACHED_RESULTS = 4  # results: a picture has up to three views


def solve_by_monte_carlo(statement: StrongForm, method: MonteCarlo, *, seed: int = 0) -> SolverResult:
    """Paths are simulated when points are evaluated, on their device and in their dtype."""
    process = process_of(statement)
    doubt = 1 / (2**0.5 - 1) if process.curves else 1.0  # order ½ while steps are long compared with a curve's features
    module = MonteCarloSolution(path_estimator(process, method.steps), method.samples, seed, doubt)
    return SolverResult(module, method, notes=(_note(process, method),))


def _note(process: DiffusionProcess, method: MonteCarlo) -> str:
    samples = f"{method.samples:,} paths per point, antithetic variates"
    if process.is_brownian:
        return f"{samples}, walk on spheres"
    if process.has_exact_step:
        return f"{samples}, one exact step (Gaussian transition density)"
    bias = "intervals include the estimated time-discretization bias (step doubling)"
    return f"{samples}, Euler-Maruyama with {method.steps} steps; {bias}"


class MonteCarloSolution(nn.Module):
    """u at points: the mean over pairs of antithetic paths, with the same noise for every point.

    Its values have no derivatives: the mean of derivatives along paths that stop is not the derivative of the mean.
    """

    def __init__(self, tracks: PathEstimator, samples: int, seed: int, doubt: float = 1.0) -> None:
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
        self._last = [(points.detach().clone(), found), *self._last[: CACHED_RESULTS - 1]]
        return found

    def _fresh(self, points: Tensor) -> tuple[Tensor, Tensor]:
        size = max(1, MAX_BATCH_NUMBERS // (2 * PAIRS_PER_BATCH * points.shape[-1]))
        parts = [self._interval(part) for part in torch.split(points, size)]
        value, half = (torch.cat(column).unsqueeze(-1) for column in zip(*parts, strict=True))
        return value, half

    def _interval(self, points: Tensor) -> tuple[Tensor, Tensor]:
        moments = RunningMoments()
        for k, rows in enumerate(_batch_sizes(self.pairs)):
            moments = moments.with_rows(self.tracks(points, rows, hash_words(self.seed, k)))
        z = NormalDist().inv_cdf((1 + CONFIDENCE_LEVEL) / 2)
        deviation = (moments.squares / (self.pairs - 1) / self.pairs).sqrt()
        return moments.mean[0], z * deviation[0] + self.doubt * moments.mean[1].abs()


def _batch_sizes(pairs: int) -> list[int]:
    full, rest = divmod(pairs, PAIRS_PER_BATCH)
    return [PAIRS_PER_BATCH] * full + [rest] * bool(rest)


@dataclass(frozen=True)
class RunningMoments:
    """Mean and sum of squared deviations of u and of its change with the step, (2, n) (Chan, Golub, LeVeque 1979)."""

    count: int = 0
    mean: Tensor = field(default_factory=lambda: torch.zeros(()))
    squares: Tensor = field(default_factory=lambda: torch.zeros(()))

    def with_rows(self, rows: Tensor) -> RunningMoments:
        """The moments with more samples, `rows` (2, r, n)."""
        count, mean = rows.shape[1], rows.mean(1)
        apart = mean - self.mean.to(mean)
        total = self.count + count
        squares = (rows - mean.unsqueeze(1)).square().sum(1) + apart.square() * (self.count * count / total)
        return RunningMoments(total, self.mean.to(mean) + apart * (count / total), self.squares.to(mean) + squares)
