"""Feynman-Kac formula: u = E[e^{∫c} g(X) + ∫ e^{∫₀ˢc} f(X_s) ds] along dX = v dt + Σ dB, ΣΣᵀ = 2A, for

    u_t = v·∇u + A:∇∇u + c u + f.

Coefficients, Monte Carlo paths, the evolution operator g ↦ u(·, t) on R^d, and the expectation of noisy networks over
noise samples and ensemble members (Øksendal 2003, theorem 8.2.1; Kloeden, Platen 1992).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeGuard, assert_never, cast

import torch
from torch import Tensor, nn

from pdedsl.config.methods import Direction, EnsembleWeighting, Scores
from pdedsl.numerics.butcher import EXPLICIT, HEUN, RungeKutta
from pdedsl.runtime.ode.explicit import VelocityField, characteristic_step
from pdedsl.runtime.rng import CLOSED_UNDER_ADDITION, NoiseLaw, RandomStream, monte_carlo_samples, seed_noise, streams
from pdedsl.runtime.sde.euler_maruyama import euler_maruyama_step, stochastic_heun_step
from pdedsl.runtime.sde.noise import cholesky, matvec

# ---- Coefficients of the generator


Drift = Tensor | VelocityField | None
"""A constant drift (d,), a field v(x, t) on points (..., d), or none."""
Diffusion = float | Tensor | Callable[[Tensor, float], Tensor]
"""ν of νΔu, the diagonal (d,) of A or A itself (d, d); or a callable (x, t) to (...), (..., d) or (..., d, d)."""
Rate = float | Callable[[Tensor, float], Tensor]
"""A constant, or a callable (x, t) with scalar values (...)."""


class GeneratorCoefficients(nn.Module):
    """The coefficients for times in [start, stop]: drift v, diffusion A, rate c and source f.

    Args:
        start: start of the time interval.
        stop: end of the time interval.
        drift: v, a constant (d,), a field (x, t) ↦ (…, d), or None.
        diffusion: A: a number ν for νI, a diagonal (d,), a matrix (d, d), or a function of (x, t) with such values.
        rate: c, a number or a function (x, t) ↦ (…).
        source: f, a number or a function (x, t) ↦ (…).

    Raises:
        ValueError: if the interval is empty.

    Example:
        >>> from pdedsl.runtime import GeneratorCoefficients
        >>> GeneratorCoefficients(0.0, 1.0, diffusion=0.1).has_constant_coefficients
        True
    """

    def __init__(
        self,
        start: float,
        stop: float,
        drift: Drift = None,
        diffusion: Diffusion = 0.0,
        rate: Rate = 0.0,
        source: Rate = 0.0,
    ) -> None:
        super().__init__()
        if not start < stop:
            raise ValueError(f"a time interval must have start < stop, got [{start:g}, {stop:g}]")
        self.start, self.stop = start, stop
        self.drift = nn.Buffer(drift) if _is_plain_tensor(drift) else drift
        self.diffusion = nn.Buffer(diffusion) if _is_plain_tensor(diffusion) else diffusion
        self.rate, self.source = rate, source

    def within(self, start: float, stop: float) -> GeneratorCoefficients | None:
        """The same coefficients on the intersection with [start, stop]."""
        low, high = max(self.start, start), min(self.stop, stop)
        return (
            GeneratorCoefficients(low, high, self.drift, self.diffusion, self.rate, self.source) if low < high else None
        )

    @property
    def is_random(self) -> bool:
        return not (isinstance(self.diffusion, float | int) and self.diffusion == 0)

    @property
    def has_constant_coefficients(self) -> bool:
        """If so, one Gaussian increment is exact for any step length."""
        return not any(map(_is_function, (self.drift, self.diffusion, self.rate, self.source)))

    @property
    def has_constant_rates(self) -> bool:
        return not _is_function(self.rate) and not _is_function(self.source)

    def velocity(self, x: Tensor, t: float) -> Tensor:
        if self.drift is None:
            return torch.zeros_like(x)
        return self.drift.to(x).expand_as(x) if isinstance(self.drift, Tensor) else self.drift(x, t)

    def rates(self, x: Tensor, t: float) -> tuple[Tensor, Tensor]:
        """c and f at each point, (...)."""
        return _at(self.rate, x, t), _at(self.source, x, t)

    def exact_weights(self, length: float) -> tuple[float, float]:
        """∫c = c·h and ∫₀ʰ e^{cs} f ds = f·(e^{ch} - 1)/c for constant rates."""
        assert isinstance(self.rate, float | int)
        assert isinstance(self.source, float | int)
        z = self.rate * length
        return z, self.source * length * (math.expm1(z) / z if z else 1.0)

    def noise_increment(self, x: Tensor, dt: float) -> Callable[[Tensor, float, Tensor], Tensor]:
        """(x, t, ξ) ↦ √Δt·Σ(x, t)·ξ with ΣΣᵀ = 2A, for ξ of shape (samples, rows, d); a constant Σ is computed once."""
        diffusion = self.diffusion
        if isinstance(diffusion, Tensor | float | int):
            exact = torch.as_tensor(diffusion, dtype=x.dtype, device=x.device)  # full precision for a float
            root = _covariance_root(2.0 * dt * exact, 0)
            return lambda x, t, noise: _apply_root(root, noise, 0)
        return lambda x, t, noise: _apply_root(
            _covariance_root(2.0 * dt * diffusion(x, t), x.dim() - 1), noise, x.dim() - 1
        )


def _at(value: Rate, x: Tensor, t: float) -> Tensor:
    return torch.full_like(x[..., 0], value) if isinstance(value, float | int) else value(x, t)


def _is_plain_tensor(value: object) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and not isinstance(value, nn.Parameter)


def _is_function(value: Drift | Diffusion | Rate) -> bool:
    return not (value is None or isinstance(value, Tensor | float | int))


def _covariance_root(covariance: Tensor, points: int) -> Tensor:
    """Square root of the covariance at each point: of a scalar or a diagonal, or the Cholesky factor of a matrix."""
    return cholesky(covariance) if covariance.dim() == points + 2 else covariance.sqrt()


def _apply_root(root: Tensor, noise: Tensor, points: int) -> Tensor:
    if root.dim() == points + 2:
        return matvec(root, noise)
    return noise * (root.unsqueeze(-1) if root.dim() == points and points > 0 else root)


# ---- Paths with their weight e^{∫c} and the integral of the source
#
# no noise        X, ∫c and the source integral form one ODE system, integrated by the method of the characteristics
# noise           the Euler-Maruyama scheme with Σ(X, t)ΔB, or the stochastic Heun method with Σ(X, t + ½Δt)ΔB
# integrals       by the trapezoidal rule, which preserves these orders


class FeynmanKacPath(NamedTuple):
    """The point X, the logarithm ∫c of the weight, and the source integral ∫ e^{∫c} f."""

    x: Tensor
    log_weight: Tensor | float = 0.0
    source_integral: Tensor | float = 0.0

    def value(self, data: Callable[[Tensor], Tensor]) -> Tensor:
        """e^{∫c} g(X) + ∫ e^{∫c} f."""
        value = data(self.x)
        if not _is_zero(self.log_weight):
            value = _exp(self.log_weight) * value
        return value if _is_zero(self.source_integral) else value + self.source_integral

    def accumulate(self, log_weight: Tensor | float, source_integral: Tensor | float) -> FeynmanKacPath:
        """The path after a segment with this log-weight and source integral, both counted from its start."""
        total = self.source_integral + _exp(self.log_weight) * source_integral
        return FeynmanKacPath(self.x, self.log_weight + log_weight, total)


class StepSegment(NamedTuple):
    """A segment of the path with one set of coefficients: `steps` steps of length `dt` from the PDE time `start`."""

    piece: GeneratorCoefficients
    start: float
    dt: float
    steps: int
    direction: float

    def time(self, k: float) -> float:
        return self.start + self.direction * k * self.dt


def integrate_characteristic(path: FeynmanKacPath, segment: StepSegment, method: RungeKutta) -> FeynmanKacPath:
    """Integrate X' = v(X, t) along a segment."""
    piece, x = segment.piece, path.x
    if piece.has_constant_rates:
        for k in range(segment.steps):
            x = characteristic_step(method, piece.velocity, x, segment.dt, segment.time(k), segment.direction)
        return path._replace(x=x).accumulate(*piece.exact_weights(segment.dt * segment.steps))

    def right_hand_side(y: Tensor, t: float) -> Tensor:
        """The time derivatives (v, c, e^{∫c} f) of (X, ∫c, ∫e^{∫c}f)."""
        rate, source = piece.rates(y[..., :-2], t)
        weighted = torch.exp(y[..., -2]) * source
        return torch.cat([piece.velocity(y[..., :-2], t), rate.unsqueeze(-1), weighted.unsqueeze(-1)], -1)

    y = torch.cat([x, x.new_zeros(*x.shape[:-1], 2)], -1)
    for k in range(segment.steps):
        y = characteristic_step(method, right_hand_side, y, segment.dt, segment.time(k), segment.direction)
    return path._replace(x=y[..., :-2]).accumulate(y[..., -2], y[..., -1])


def integrate_sde(
    path: FeynmanKacPath, segment: StepSegment, heun: bool, noise: Callable[[Tensor, int], Tensor]
) -> FeynmanKacPath:
    """Integrate dX = v dt + Σ dB by Euler-Maruyama or stochastic Heun, with ξ = noise(x, k) in step k."""
    piece = segment.piece
    if piece.has_constant_rates:
        for x in _sde_states(path.x, segment, heun, noise):
            path = path._replace(x=x)
        return path.accumulate(*piece.exact_weights(segment.dt * segment.steps))
    rate, source = piece.rates(path.x, segment.start)
    for k, x in enumerate(_sde_states(path.x, segment, heun, noise), 1):
        next_rate, next_source = piece.rates(x, segment.time(k))
        log_weight = 0.5 * segment.dt * (rate + next_rate)
        source_integral = 0.5 * segment.dt * (source + torch.exp(log_weight) * next_source)
        path, rate, source = path._replace(x=x).accumulate(log_weight, source_integral), next_rate, next_source
    return path


def _sde_states(
    x: Tensor, segment: StepSegment, heun: bool, noise: Callable[[Tensor, int], Tensor]
) -> Iterator[Tensor]:
    """The points after each step."""
    piece, dt, noise_increment = segment.piece, segment.dt, segment.piece.noise_increment(x, segment.dt)
    for k in range(segment.steps):
        increment = noise_increment(x, segment.time(k + 0.5 if heun else k), noise(x, k))
        t = segment.time(k)
        if piece.drift is None:
            x = x + increment
        elif heun:
            x = stochastic_heun_step(piece.velocity, increment, x, dt, t, segment.time(k + 1))
        else:
            x = euler_maruyama_step(piece.velocity, increment, x, dt, t)
        yield x


def _is_zero(value: Tensor | float) -> bool:
    return not isinstance(value, Tensor) and value == 0


def _exp(value: Tensor | float) -> Tensor | float:
    return value.exp() if isinstance(value, Tensor) else math.exp(value)


# ---- Evolution operator
#
# Initial data: u(x, t) = E[e^{∫c} g(Y) + ∫ e^{∫c} f], dY = v(Y, t − τ)dτ + Σ dB, Y₀ = x, ΣΣᵀ = 2A; the first step
# uses the coefficients at time t, the last those near the initial time. Terminal data: time runs forwards along the
# path, for u_t + v·∇u + A:∇∇u + c u + f = 0. While the stream is frozen, the default here, a noise sample is the same
# at every point x: u is then an average of g over fixed maps of x, exactly linear in g if f = 0, monotone, and it
# preserves constants if also c = 0.


class Estimate(NamedTuple):
    """A Monte Carlo mean and its standard error (zero without noise)."""

    mean: Tensor
    standard_error: Tensor


class RefinedEstimate(NamedTuple):
    """A Monte Carlo mean with twice as many steps, its standard error, and the estimated error of the steps."""

    mean: Tensor
    standard_error: Tensor
    bias: Tensor


class EvolutionOperator(nn.Module):
    """`evolution(g, x, t)` is u(x, t) for data g, any callable from points (..., d) to (...), at points x (n, d).

    Data are prescribed at the start of the first piece (form = "initial") or at the end of the last one, the `horizon`
    (form = "terminal"). A piece without diffusion takes steps of the `scheme`, of at most `dt`; a piece with diffusion
    takes Euler-Maruyama steps, or steps of the stochastic Heun method if that is the scheme; if all its coefficients
    are constant and its noise is Gaussian, one exact step. Paths pass the pieces in network order: for initial data the
    last in time first. `law` is the distribution of the noise; `antithetic` uses antithetic variates.

    Args:
        drift: v, if the coefficients are the same at all times; see `GeneratorCoefficients`.
        diffusion: A, in the same way.
        rate: c, in the same way.
        source: f, in the same way.
        pieces: coefficients on successive time intervals, instead of the four above.
        form: "initial" or "terminal" data.
        horizon: final time, required for terminal data.
        dt: largest step size.
        scheme: name of an explicit Runge-Kutta method; with diffusion, "heun" is the stochastic Heun method.
        samples: number of paths per point.
        seed: seed of the paths.
        antithetic: use antithetic variates.
        law: distribution of the noise, "normal" or "laplace".
        rows: largest number of states held in memory at once.

    Shape:
        (g, x, t) with data g from points (…, d) to (…), x (n, d) and a number t, to u(x, t) (n,).

    Raises:
        ValueError: if time intervals leave a gap, terminal data have no horizon, or the number of antithetic samples is
            odd; by a call, if the time is outside the intervals.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import EvolutionOperator
        >>> u = EvolutionOperator(diffusion=0.5, samples=4096)  # u_t = ½Δu
        >>> value = u(lambda x: x.square().sum(-1), torch.zeros(1, 2), 1.0)  # E‖B₁‖² = 2
        >>> abs(value.item() - 2.0) < 0.2
        True
    """

    def __init__(
        self,
        drift: Drift = None,
        diffusion: Diffusion = 0.0,
        *,
        rate: Rate = 0.0,
        source: Rate = 0.0,
        pieces: Sequence[GeneratorCoefficients] = (),
        form: str = "initial",
        horizon: float = math.inf,
        dt: float = 0.01,
        scheme: str = "rk4",
        samples: int = 1024,
        seed: int = 0,
        antithetic: bool = False,
        law: NoiseLaw = "normal",
        rows: int = 1 << 18,
    ) -> None:
        super().__init__()
        self.pieces = nn.ModuleList(
            _contiguous(pieces or [GeneratorCoefficients(0.0, horizon, drift, diffusion, rate, source)])
        )
        self.form, self.dt, self.scheme, self.rows = Direction(form), dt, scheme, rows
        self.samples, self.seed, self.antithetic, self.law = samples, seed, antithetic, law
        self.stream = RandomStream(seed)
        self.stream.frozen = True
        if self.form is Direction.TERMINAL and math.isinf(self._pieces()[-1].stop):
            raise ValueError("terminal data need a finite horizon")
        if antithetic and samples % 2:
            raise ValueError(f"antithetic variates come in pairs: samples must be even, got {samples}")

    def forward(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> Tensor:
        return self._values(f, x, t).mean(0)

    def estimate(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> Estimate:
        """The solution with the standard error of its Monte Carlo mean."""
        values = self._values(f, x, t)
        mean = values.mean(0)
        if len(values) == 1:
            return Estimate(mean, torch.zeros_like(mean))
        independent = values.reshape(2, -1, *mean.shape).mean(0) if self.antithetic else values
        return Estimate(mean, independent.std(0) / len(independent) ** 0.5)

    def refined_estimate(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> RefinedEstimate:
        """The solution with steps of half the length, its standard error, and |u_h - u_{h/2}|/(2^p - 1) for a method of
        order p (Talay, Tubaro 1990); while the stream is frozen, both levels have the same Brownian paths."""
        segments = self.segments(t)
        halved = [s if self._is_exact(s.piece) else s._replace(steps=2 * s.steps, dt=s.dt / 2) for s in segments]
        values, coarse = self._values_along(f, x, halved), self._values_along(f, x, segments, coupled=True)
        mean = values.mean(0)
        independent = values.reshape(2, -1, *mean.shape).mean(0) if self.antithetic and len(values) > 1 else values
        count = len(independent)
        error = independent.std(0) / count**0.5 if count > 1 else torch.zeros_like(mean)
        return RefinedEstimate(mean, error, (coarse.mean(0) - mean).abs() / (2 ** self._order(t) - 1))

    def _order(self, t: float) -> int:
        """The weak order of the steps: 1 if the diffusion depends on the point."""
        method, segments = EXPLICIT[self.scheme], self.segments(t)
        if any(s.piece.is_random and _is_function(s.piece.diffusion) for s in segments):
            return 1
        return min(method.order, HEUN.order) if any(s.piece.is_random for s in segments) else method.order

    def segments(self, t: float) -> list[StepSegment]:
        """The path from time t to the data, in network order."""
        pieces = self._pieces()
        if not pieces[0].start <= t <= pieces[-1].stop:
            raise ValueError(f"time {t:g} is outside [{pieces[0].start:g}, {pieces[-1].stop:g}]")
        if self.form is Direction.INITIAL:
            spans = [(piece, min(piece.stop, t), min(piece.stop, t) - piece.start) for piece in reversed(pieces)]
        else:
            spans = [(piece, max(piece.start, t), piece.stop - max(piece.start, t)) for piece in pieces]
        return [self._segment(piece, start, length) for piece, start, length in spans if length > 0]

    def _segment(self, piece: GeneratorCoefficients, start: float, length: float) -> StepSegment:
        steps = 1 if self._is_exact(piece) else math.ceil(length / self.dt * (1.0 - 1e-12))
        return StepSegment(piece, start, length / steps, steps, -1.0 if self.form is Direction.INITIAL else 1.0)

    def _is_exact(self, piece: GeneratorCoefficients) -> bool:
        return piece.has_constant_coefficients and (CLOSED_UNDER_ADDITION[self.law] or not piece.is_random)

    def _pieces(self) -> list[GeneratorCoefficients]:
        return [piece for piece in self.pieces if isinstance(piece, GeneratorCoefficients)]

    def between(self, low: float, high: float) -> EvolutionOperator:
        """The same equation between two times, with its data prescribed there and frozen noise."""
        pieces = [part for piece in self._pieces() if (part := piece.within(low, high)) is not None]
        options = {name: getattr(self, name) for name in ("form", "dt", "scheme", "samples", "seed", "law")}
        return EvolutionOperator(pieces=pieces, **options)

    def _values(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> Tensor:
        """The value of each path, of shape (samples, n); one sample without noise."""
        return self._values_along(f, x, self.segments(t))

    def _values_along(
        self, f: Callable[[Tensor], Tensor], x: Tensor, segments: Sequence[StepSegment], coupled: bool = False
    ) -> Tensor:
        if not any(segment.piece.is_random for segment in segments):
            return self._integrate(x, segments, range(1)).value(f).unsqueeze(0)
        if not self.stream.frozen:
            self.stream.advance()
        if torch.compiler.is_exporting():  # for any number of points: all at once
            return self._integrate(x, segments, range(self.samples)).value(f)
        points = max(1, x.shape[:-1].numel())
        size = max(1, self.rows // points)
        chunks = [range(k, min(k + size, self.samples)) for k in range(0, self.samples, size)]
        return torch.cat([self._integrate(x, segments, samples, coupled).value(f) for samples in chunks])

    def _integrate(
        self, x: Tensor, segments: Sequence[StepSegment], samples: range, coupled: bool = False
    ) -> FeynmanKacPath:
        method, path = EXPLICIT[self.scheme], FeynmanKacPath(x)
        for index, segment in enumerate(segments):
            if segment.piece.is_random:
                sampler = self._sampler(index, samples, coupled and not self._is_exact(segment.piece))
                path = integrate_sde(path, segment, method is HEUN, sampler)
            else:
                path = integrate_characteristic(path, segment, method)
        return path

    def _sampler(self, segment: int, samples: range, coupled: bool = False) -> Callable[[Tensor, int], Tensor]:
        """Noise of the steps; `coupled`: with the Brownian increments of two steps of half the length."""
        if not coupled:
            return lambda x, step: self._noise(x, segment, step, samples)
        return lambda x, step: (
            (self._noise(x, segment, 2 * step, samples) + self._noise(x, segment, 2 * step + 1, samples)) / math.sqrt(2)
        )

    def _noise(self, x: Tensor, segment: int, step: int, samples: range) -> Tensor:
        """ξ of shape (samples, rows, d); while the stream is frozen one row, the same for all points."""
        number = self.samples // 2 if self.antithetic else self.samples
        rows = 1 if self.stream.frozen else x.shape[-2]
        noise = self.stream.block(x, self.law, (number, rows, x.shape[-1]), segment, step)
        noise = torch.cat([noise, -noise]) if self.antithetic else noise
        return noise[samples.start : samples.stop]


def _contiguous(pieces: Sequence[GeneratorCoefficients]) -> Sequence[GeneratorCoefficients]:
    for before, after in pairwise(pieces):
        if not math.isclose(before.stop, after.start, abs_tol=1e-12):
            raise ValueError(
                f"time intervals leave a gap: one ends at {before.stop:g}, the next starts at {after.start:g}"
            )
    return pieces


class FeynmanKacSolution(nn.Module):
    """x ↦ u(x, t) for fixed data f: the evolution operator as a network, with new noise for each sample and call.

    Args:
        evolution: the evolution operator; its noise becomes independent between points.
        data: initial or terminal data, from points (…, d) to (…).
        t: the time of evaluation.

    Shape:
        points (n, d) to values (n,).

    Example:
        >>> import torch
        >>> from pdedsl.runtime import EvolutionOperator, FeynmanKacSolution
        >>> solution = FeynmanKacSolution(EvolutionOperator(diffusion=0.1, samples=64), lambda x: x[..., 0], 1.0)
        >>> solution(torch.zeros(5, 2)).shape
        torch.Size([5])
    """

    def __init__(self, evolution: EvolutionOperator, data: Callable[[Tensor], Tensor], t: float) -> None:
        super().__init__()
        self.evolution, self.data, self.t = evolution, data, t
        evolution.stream.frozen = False

    def forward(self, x: Tensor) -> Tensor:
        return cast(Tensor, self.evolution(self.data, x, self.t))


# ---- Expectation over noise samples and ensemble members
#
# u(x, T) = E f(X_T). Averages are of probabilities, f = softmax, because the mean of softmax is not the softmax of the
# mean; the result is returned as a logarithm, so that the softmax of the logits is u. Averaging logits, as Wang, Yuan,
# Shi, Osher 2020 do in sections 3 and 5, is an option.


class Expectation(nn.Module):
    """log Σ_m w_m · mean_k softmax(member_m(x; ξ_k)), or Σ_m w_m · mean_k member_m(x; ξ_k) for logits.

    Ensemble members may have different architectures, and may have been trained independently (Wang, Yuan, Shi, Osher
    2020, section 4.2); every noise block gets its own random stream from `seed`. Learned weights are the softmax of
    parameters (section 5 there). `samples`, the number of noise samples ξ_k, is used in training, `eval_samples` (if
    set) in evaluation; both may be changed at any time. Noise samples are folded into the batch axis in chunks of at
    most `rows` rows, or of one sample. `batch` is the size of the whole batch if several processes share one in
    training, so that all split the samples in the same way.

    Args:
        members: ensemble members, from inputs (n, …) to logits (n, classes).
        seed: seed of the noise of all members.
        samples: number of noise samples in training, and in evaluation unless `eval_samples` is set.
        eval_samples: number of noise samples in evaluation.
        average: mean of "probabilities" or of "logits".
        weights: "equal" or "learned" weights of the members.
        rows: largest batch size of a call of a member.

    Shape:
        inputs (n, …) to logits (n, classes).

    Raises:
        ValueError: if there are no members.

    Example:
        >>> import torch
        >>> from pdedsl.runtime import Expectation, GaussianNoise
        >>> member = torch.nn.Sequential(GaussianNoise(0.1, seed=0), torch.nn.Linear(2, 3))
        >>> probabilities = Expectation([member], seed=0, samples=16)(torch.zeros(5, 2)).exp()
        >>> bool(torch.allclose(probabilities.sum(1), torch.ones(5)))
        True
    """

    def __init__(
        self,
        members: Iterable[nn.Module],
        *,
        seed: int,
        samples: int = 1,
        eval_samples: int | None = None,
        average: str = "probabilities",
        weights: str = "equal",
        rows: int = 256,
    ) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        if not self.members:
            raise ValueError("an expectation needs at least one member")
        self.samples, self.eval_samples, self.average, self.rows = samples, eval_samples, Scores(average), rows
        self.batch: int | None = None
        learned = EnsembleWeighting(weights) is EnsembleWeighting.LEARNED
        self.weight_logits = nn.Parameter(torch.zeros(len(self.members))) if learned else None
        seed_noise(self, seed)

    def weights(self) -> Tensor:
        """The weights of the ensemble members: positive, with sum 1."""
        return self._log_weights().exp()

    def _log_weights(self) -> Tensor:
        if self.weight_logits is not None:
            return self.weight_logits.log_softmax(0)
        return torch.full((len(self.members),), -math.log(len(self.members)), dtype=torch.float64)

    def forward(self, x: Tensor) -> Tensor:
        logits = [self._average_samples(member, x) for member in self.members]
        if len(logits) == 1:
            return logits[0]
        return self._average_members(torch.stack(logits))

    def each(self, x: Tensor) -> Tensor:
        """The logits of every ensemble member, (members, n, classes), to train them independently.

        Σ_m CE(member_m) has the gradients of independent trainings, and `forward` averages the members
        (Wang, Yuan, Shi, Osher 2020, section 4.2).
        """
        return torch.stack([self._average_samples(member, x) for member in self.members])

    def _average_members(self, logits: Tensor) -> Tensor:
        log_weights = self._log_weights().to(logits).reshape(-1, *[1] * (logits.dim() - 1))
        match self.average:
            case Scores.PROBABILITIES:
                return torch.logsumexp(log_weights + logits, 0)
            case Scores.LOGITS:
                return (log_weights.exp() * logits).sum(0)
            case _:
                assert_never(self.average)

    def _average_samples(self, member: nn.Module, x: Tensor) -> Tensor:
        sources = streams(member)
        samples = self.samples if self.training or self.eval_samples is None else self.eval_samples
        if samples == 1 or not sources:
            return self._mean([self._log_probabilities(member(x)).unsqueeze(0)], 1)
        before, after = _split_at_noise(member) if not self.training else ([], [member])
        return self._mean(list(self._chunks(after, _run(before, x), sources, samples)), samples)

    def _chunks(self, parts: list[nn.Module], x: Tensor, sources: list[RandomStream], samples: int) -> Iterator[Tensor]:
        """Logits of shape (samples, n, classes), one chunk of samples at a time."""
        # An exported graph must not depend on the batch size, so all samples are folded at once there.
        whole = self.batch if self.training and self.batch is not None else x.shape[0]
        size = samples if torch.compiler.is_exporting() else max(1, self.rows // max(whole, 1))
        for first in range(0, samples, size):
            count = min(size, samples - first)
            with monte_carlo_samples(sources, first, count):
                logits = _run(parts, _fold(x, count))
            yield self._log_probabilities(logits.reshape(count, x.shape[0], *logits.shape[1:]))

    def _log_probabilities(self, logits: Tensor) -> Tensor:
        return logits.log_softmax(-1) if self.average is Scores.PROBABILITIES else logits

    def _mean(self, chunks: list[Tensor], samples: int) -> Tensor:
        logits = chunks[0] if len(chunks) == 1 else torch.cat(chunks)
        if samples == 1:
            return logits.squeeze(0)
        if self.average is Scores.PROBABILITIES:
            return torch.logsumexp(logits, 0) - math.log(samples)
        return logits.mean(0)

    def extra_repr(self) -> str:
        return f"samples={self.samples}, eval_samples={self.eval_samples}, average={self.average.value!r}"


def _fold(x: Tensor, count: int) -> Tensor:
    """All inputs for sample 1, then for sample 2, … along the batch axis; by `cat`: `repeat` loses channels_last."""
    return x if count == 1 else torch.cat([x] * count)


def _split_at_noise(member: nn.Module) -> tuple[list[nn.Module], list[nn.Module]]:
    """The layers before the first noise, evaluated once for all samples, and the others."""
    parts = list(member) if isinstance(member, nn.Sequential) else [member]
    first = next(index for index, part in enumerate(parts) if streams(part))
    return parts[:first], parts[first:]


def _run(parts: list[nn.Module], x: Tensor) -> Tensor:
    for part in parts:
        x = cast(Tensor, part(x))
    return x
