"""Reference simulation of the SDE of an equation, from the analysis alone.

For initial data dX = b(X, T - τ) dτ + √2 A^½ dB: the first step is at time T, and PDE time runs backward. For terminal
data it runs forward.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import assert_never

import numpy as np

from pdedsl.codegen.names import python_name
from pdedsl.config.methods import Adaptive, BackwardEuler, Fixed, Imex, Implicit, Leapfrog, NoiseDistribution, Verlet
from pdedsl.ir.noise import DropoutResidual, RandomResidual, ShakeShakeResidual, StochasticDepthResidual
from pdedsl.testing.coefficients import Array, CoefficientEvaluator
from pdedsl.testing.model import Fields, ModelUnderTest
from pdedsl.testing.path_segments import AddedNoise, NormScaledNoise, PathSegment
from pdedsl.testing.reference_steps import integrate_rk4, step_of
from pdedsl.testing.time_intervals import TimeInterval, is_initial

REFERENCE_STEPS = 400  # of RK4, the reference for an adaptive method


@dataclass(frozen=True)
class PathEndpoints:
    """Positions of paths, one per row, with the log-weight ∫c and the accumulated source ∫e^{∫c}f."""

    x: Array
    log_weight: Array
    accumulated_source: Array

    def value(self, data: Array) -> Array:
        """e^{∫c} g(X) + ∫e^{∫c}f, whose mean is u."""
        return np.asarray(np.exp(self.log_weight) * data + self.accumulated_source)


@dataclass(frozen=True)
class ReferenceProcess:
    """The SDE of the equation, with prescribed learned fields."""

    coefficients: CoefficientEvaluator
    time_sign: float

    def simulate(self, x: Array, segments: list[PathSegment], source: np.random.Generator) -> PathEndpoints:
        """The paths at the end of the segments, one for each row of x."""
        state = PathEndpoints(x, np.zeros(len(x)), np.zeros(len(x)))
        for segment in segments:
            for k in range(segment.steps):
                state = self._weighted_step(segment, state, segment.start + self.time_sign * k * segment.h, source)
        return state

    def _weighted_step(
        self, segment: PathSegment, state: PathEndpoints, t: float, source: np.random.Generator
    ) -> PathEndpoints:
        """A step with its Feynman-Kac weight: exact for constant rates, by the integrator itself without noise, and
        otherwise by the trapezoidal rule."""
        interval = segment.interval
        if interval.has_weight and not segment.random and not interval.has_constant_rates:
            return self._augmented_step(segment, state, t)
        x = self._step(segment, state.x, t, source)
        if not interval.has_weight:
            return replace(state, x=x)
        c, f = self.rates(interval, state.x, t)
        if interval.has_constant_rates:
            growth = segment.h * c
            integral = np.where(c == 0, segment.h, np.expm1(segment.h * c) / np.where(c == 0, 1.0, c))
            return PathEndpoints(
                x, state.log_weight + growth, state.accumulated_source + np.exp(state.log_weight) * f * integral
            )
        later_c, later_f = self.rates(interval, x, t + self.time_sign * segment.h)
        growth = state.log_weight + segment.h * (c + later_c) / 2
        sums = segment.h * (np.exp(state.log_weight) * f + np.exp(growth) * later_f) / 2
        return PathEndpoints(x, growth, state.accumulated_source + sums)

    def _augmented_step(self, segment: PathSegment, state: PathEndpoints, t: float) -> PathEndpoints:
        """(X, C, G)' = (b, c, e^C f)."""

        def rhs(s: float, y: Array) -> Array:
            x, at = np.ascontiguousarray(y[:, :-2]), t + self.time_sign * s
            c, f = self.rates(segment.interval, x, at)
            return np.column_stack([self.velocity(segment.interval, x, at), c, np.exp(y[:, -2]) * f])

        assert isinstance(segment.scheme, Fixed)
        y = step_of(segment.scheme)(
            rhs, 0.0, segment.h, np.column_stack([state.x, state.log_weight, state.accumulated_source])
        )
        return PathEndpoints(np.ascontiguousarray(y[:, :-2]), y[:, -2], y[:, -1])

    def rates(self, interval: TimeInterval, x: Array, t: float) -> tuple[Array, Array]:
        """c and f at points, (n,)."""
        return self.coefficients.number(interval.rate, x, t), self.coefficients.number(interval.source, x, t)

    def velocity(self, interval: TimeInterval, x: Array, t: float) -> Array:
        return self.coefficients.vector(interval.drift, x, t)

    def diffusivity(self, interval: TimeInterval, x: Array, t: float) -> Array:
        """The diagonal (n, d) of A, or A itself (n, d, d)."""
        rows = interval.matrix
        if not self.coefficients.spec.space.explicit:
            return self.coefficients.vector(rows[0], x, t)
        if any(e != 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j):
            return self.coefficients.matrix(rows, x, t)
        return self.coefficients.vector(tuple(rows[i][i] for i in range(len(rows))), x, t)

    def _step(self, segment: PathSegment, x: Array, t: float, source: np.random.Generator) -> Array:
        if not segment.random:
            return self._deterministic_step(segment, x, t)
        match segment.noise:
            case AddedNoise(law=law):
                return self._euler_maruyama_step(segment, x, t, law, source)
            case NormScaledNoise(law=law):
                return self._relative_noise_step(segment, x, t, _standard_samples(law, x.shape, source))
            case DropoutResidual() | StochasticDepthResidual() | ShakeShakeResidual() as random:
                return x + segment.h * self._random_velocity(segment, random, x, t, source)
            case _:
                assert_never(segment.noise)

    def _euler_maruyama_step(
        self, segment: PathSegment, x: Array, t: float, law: NoiseDistribution, source: np.random.Generator
    ) -> Array:
        drift, end = self.velocity(segment.interval, x, t), t + self.time_sign * segment.h
        matrix = self.diffusivity(segment.interval, x, 0.5 * (t + end) if segment.corrected else t)
        shock = sqrt(2.0 * segment.h) * _apply_square_root(matrix, _standard_samples(law, x.shape, source))
        if segment.corrected:
            drift = 0.5 * (drift + self.velocity(segment.interval, x + segment.h * drift + shock, end))
        return np.asarray(x + segment.h * drift + shock)

    def _relative_noise_step(self, segment: PathSegment, x: Array, t: float, noise: Array) -> Array:
        moved = x + segment.h * self.velocity(segment.interval, x, t)
        size = moved.std(-1, ddof=1, keepdims=True)
        return np.asarray(moved + np.sqrt(2.0 * self.diffusivity(segment.interval, x, t)) * size * noise)

    def _deterministic_step(self, segment: PathSegment, x: Array, t: float) -> Array:
        def rhs(s: float, y: Array) -> Array:
            return self.velocity(segment.interval, y, t + self.time_sign * s)

        match segment.scheme:
            case Fixed() | Implicit() | BackwardEuler():
                return np.asarray(step_of(segment.scheme)(rhs, 0.0, segment.h, x))
            case Adaptive():
                return np.asarray(integrate_rk4(rhs, 0.0, segment.h, x, REFERENCE_STEPS))
            case Verlet() | Leapfrog() | Imex():
                raise AssertionError(segment.scheme)
            case _:
                assert_never(segment.scheme)

    def _random_velocity(
        self, segment: PathSegment, random: RandomResidual, x: Array, t: float, source: np.random.Generator
    ) -> Array:
        """A random velocity V with ½h Cov V = A: dropout, stochastic depth or shake-shake."""
        ratio = 2.0 * float(random.strength.xreplace(self.coefficients.spec.values)) / segment.h
        if isinstance(random, ShakeShakeResidual):
            f, g = (self.coefficients.field(head, x, t) for head in random.branches)
            alpha = 0.5 + sqrt(3.0 * ratio) * source.uniform(-1.0, 1.0, (len(x), 1))
            return alpha * f + (1.0 - alpha) * g
        keep = 1.0 / (1.0 + ratio)
        mask = source.random(x.shape if isinstance(random, DropoutResidual) else (len(x), 1)) < keep
        return self.velocity(segment.interval, x, t) * mask / keep


def _standard_samples(law: NoiseDistribution, shape: tuple[int, ...], source: np.random.Generator) -> Array:
    """Samples of mean 0 and variance 1."""
    match law:
        case NoiseDistribution.GAUSSIAN:
            return source.standard_normal(shape)
        case NoiseDistribution.LAPLACE:
            return source.laplace(size=shape) / sqrt(2)
        case _:
            assert_never(law)


def _apply_square_root(matrix: Array, noise: Array) -> Array:
    """A^½ξ by an eigendecomposition, unlike the factorizations of the runtime."""
    if matrix.ndim == 2:
        return np.asarray(np.sqrt(matrix) * noise)
    constant = bool((matrix == matrix[:1]).all())
    values, vectors = np.linalg.eigh(matrix[:1] if constant else matrix)
    root = np.sqrt(values.clip(0.0))[:, None, :] * vectors
    return np.asarray((root @ noise[..., None])[..., 0])


def process_of(model: ModelUnderTest, fields: Fields) -> ReferenceProcess:
    spec = model.expected.spec
    by_head = {w.head: fields[python_name(w)] for w in spec.learned if python_name(w) in fields}
    return ReferenceProcess(CoefficientEvaluator(spec, by_head), -1.0 if is_initial(spec) else 1.0)
