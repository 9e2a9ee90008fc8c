"""Paths of the process behind an equation, simulated from the analysis alone: what X_T of a network must be like.

For initial data dX = b(X, T - τ) dτ + √2 A^½ dB: the first step stands at the time T, and what is last in the time of
the equation comes first. For terminal data the clock runs forwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import assert_never

import numpy as np

from pdedsl.emit.names import name_of
from pdedsl.ir.noise import (
    Correlated,
    Dropped,
    DroppedMaps,
    DroppedUnits,
    Noise,
    Plain,
    RandomMap,
    Relative,
    Scaled,
    Shared,
    SharedBranches,
)
from pdedsl.ir.plan import DataPlan, Shake, Walk
from pdedsl.ir.representation import Paths, Stretch
from pdedsl.numerics.integrators import EULER, HEUN
from pdedsl.testing.by_hand import fine, step_of
from pdedsl.testing.coefficients import Array, Reader
from pdedsl.testing.model import Fields, ModelUnderTest
from pdedsl.words.diffusions import Law
from pdedsl.words.directions import Direction
from pdedsl.words.integrators import Across, Adaptive, BackwardEuler, Fixed, Integrator, Leapfrog, Verlet

FINE = 400  # steps of RK4 that stand for an adaptive method


@dataclass(frozen=True)
class Numbers:
    """√(2hA) ξ, with numbers ξ of a law."""

    law: Law = Law.GAUSSIAN


@dataclass(frozen=True)
class Multiples:
    """√(2A) std(x) ξ, whatever the step."""

    law: Law
    across: Across


Randomness = Numbers | Multiples | RandomMap


@dataclass(frozen=True)
class Leg:
    """Equal steps along one piece of time, from the time `first` on: by `scheme` where nothing is random."""

    stretch: Stretch
    first: float
    h: float
    steps: int
    scheme: Integrator
    by: Randomness = Numbers()

    @property
    def random(self) -> bool:
        return self.stretch.diffuses

    @property
    def corrected(self) -> bool:
        """Whether the drift is that of Heun's method: a step has the mean h b only in the limit."""
        return isinstance(self.scheme, Fixed) and self.scheme.method == HEUN and self.stretch.moves


@dataclass(frozen=True)
class Process:
    """The process behind the equation, with given fields."""

    reader: Reader
    clock: float

    def after(self, x: Array, legs: list[Leg], source: np.random.Generator) -> Array:
        """X at the end of the legs, a path for each row of x."""
        for leg in legs:
            for k in range(leg.steps):
                x = self._step(leg, x, leg.first + self.clock * k * leg.h, source)
        return x

    def velocity(self, stretch: Stretch, x: Array, t: float) -> Array:
        return self.reader.vector(stretch.drift, x, t)

    def diffusivity(self, stretch: Stretch, x: Array, t: float) -> Array:
        """The diagonal (n, d) of A, or A itself (n, d, d)."""
        rows = stretch.diffusivity
        if not self.reader.spec.space.explicit:
            return self.reader.vector(rows[0], x, t)
        if any(e != 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j):
            return self.reader.matrix(rows, x, t)
        return self.reader.vector(tuple(rows[i][i] for i in range(len(rows))), x, t)

    def _step(self, leg: Leg, x: Array, t: float, source: np.random.Generator) -> Array:
        if not leg.random:
            return self._moved(leg, x, t)
        match leg.by:
            case Numbers(law=law):
                return self._shaken(leg, x, t, law, source)
            case Multiples(law=law):
                return self._relative(leg, x, t, _numbers(law, x.shape, source))
            case DroppedUnits() | DroppedMaps() | SharedBranches() as random:
                return x + leg.h * self._shared(leg, random, x, t, source)
            case _:
                assert_never(leg.by)

    def _shaken(self, leg: Leg, x: Array, t: float, law: Law, source: np.random.Generator) -> Array:
        slope, end = self.velocity(leg.stretch, x, t), t + self.clock * leg.h
        matrix = self.diffusivity(leg.stretch, x, 0.5 * (t + end) if leg.corrected else t)
        shock = sqrt(2.0 * leg.h) * _rooted(matrix, _numbers(law, x.shape, source))
        if leg.corrected:
            slope = 0.5 * (slope + self.velocity(leg.stretch, x + leg.h * slope + shock, end))
        return np.asarray(x + leg.h * slope + shock)

    def _relative(self, leg: Leg, x: Array, t: float, noise: Array) -> Array:
        moved = x + leg.h * self.velocity(leg.stretch, x, t)
        size = moved.std(-1, ddof=1, keepdims=True)
        return np.asarray(moved + np.sqrt(2.0 * self.diffusivity(leg.stretch, x, t)) * size * noise)

    def _moved(self, leg: Leg, x: Array, t: float) -> Array:
        def slope(s: float, y: Array) -> Array:
            return self.velocity(leg.stretch, y, t + self.clock * s)

        match leg.scheme:
            case Fixed() | BackwardEuler():
                return np.asarray(step_of(leg.scheme)(slope, 0.0, leg.h, x))
            case Adaptive():
                return np.asarray(fine(slope, 0.0, leg.h, x, FINE))
            case Verlet() | Leapfrog():
                raise AssertionError(leg.scheme)
            case _:
                assert_never(leg.scheme)

    def _shared(self, leg: Leg, random: RandomMap, x: Array, t: float, source: np.random.Generator) -> Array:
        """A random velocity V with ½h Cov V = A: units or the whole of v dropped, or two branches shared."""
        ratio = 2.0 * float(random.strength.xreplace(self.reader.spec.values)) / leg.h
        if isinstance(random, SharedBranches):
            f, g = (self.reader.field(head, x, t) for head in random.branches)
            share = 0.5 + sqrt(3.0 * ratio) * source.uniform(-1.0, 1.0, (len(x), 1))
            return share * f + (1.0 - share) * g
        keep = 1.0 / (1.0 + ratio)
        kept = source.random(x.shape if isinstance(random, DroppedUnits) else (len(x), 1)) < keep
        return self.velocity(leg.stretch, x, t) * kept / keep


def _numbers(law: Law, shape: tuple[int, ...], source: np.random.Generator) -> Array:
    """Of mean 0 and variance 1."""
    match law:
        case Law.GAUSSIAN:
            return source.standard_normal(shape)
        case Law.LAPLACE:
            return source.laplace(size=shape) / sqrt(2)
        case _:
            assert_never(law)


def _rooted(matrix: Array, noise: Array) -> Array:
    """A^½ξ by eigenvectors, which no factor of the runtime uses."""
    if matrix.ndim == 2:
        return np.asarray(np.sqrt(matrix) * noise)
    constant = bool((matrix == matrix[:1]).all())
    values, vectors = np.linalg.eigh(matrix[:1] if constant else matrix)
    root = np.sqrt(values.clip(0.0))[:, None, :] * vectors
    return np.asarray((root @ noise[..., None])[..., 0])


def process_of(model: ModelUnderTest, fields: Fields) -> Process:
    spec = model.expected.spec
    paths = model.expected.representation
    assert isinstance(paths, Paths)
    by_head = {w.head: fields[name_of(w)] for w in spec.learned if name_of(w) in fields}
    return Process(Reader(spec, by_head), -1.0 if paths.direction is Direction.INITIAL else 1.0)


def module_legs(model: ModelUnderTest) -> list[Leg]:
    """The steps that `model()` takes: the plan says how many and which noise, the analysis everything else."""
    plan, paths = model.expected.plan, model.expected.representation
    assert isinstance(plan, DataPlan)
    assert isinstance(paths, Paths)
    parts = iter([p for p in plan.families[0].parts if isinstance(p, Walk | Shake)])
    return [_module_leg(s, next(parts)) for s in paths.stretches if s.moves or s.diffuses]


def _module_leg(stretch: Stretch, part: Walk | Shake) -> Leg:
    first, length = float(stretch.first), float(stretch.length)
    if isinstance(part, Shake):
        return Leg(stretch, first, length, 1, Fixed(method=EULER), randomness(part.noise, stretch))
    steps = len(part.times)
    return Leg(stretch, first, length / steps, steps, part.scheme, randomness(part.noise, stretch))


def randomness(noise: Noise | None, stretch: Stretch) -> Randomness:
    """In which way the plan makes the diffusion of a stretch; how much of it there is, the analysis says."""
    match noise:
        case None:
            return Numbers()
        case Plain(law=law) | Scaled(law=law) | Correlated(law=law):
            return Numbers(law)
        case Relative(law=law, across=across):
            return Multiples(law, across)
        case Dropped() | Shared():
            assert stretch.random is not None
            return stretch.random
        case _:
            assert_never(noise)


def operator_legs(model: ModelUnderTest) -> list[Leg]:
    """The steps of the evolution operator over the whole time: one where the coefficients are constant."""
    plan, paths = model.operator_plan, model.expected.representation
    assert plan is not None
    assert isinstance(paths, Paths)
    legs = []
    for stretch in paths.stretches:
        length = float(stretch.length)
        entries = (*stretch.drift, *(e for row in stretch.diffusivity for e in row))
        steps = 1 if all(e.is_number for e in entries) else ceil(length / float(plan.step) - 1e-9)
        legs.append(Leg(stretch, float(stretch.first), length / steps, steps, plan.scheme, Numbers(plan.law)))
    return legs
