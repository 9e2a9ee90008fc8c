"""The evolution operator on R^d: f ↦ u(·, t) for u_t = v·∇u + A:∇∇u, by characteristics and Feynman-Kac.

Initial data: u(x, t) = E f(Y), dY = v(Y, t − τ)dτ + Σ dB, Y₀ = x, ΣΣᵀ = 2A; the first step sees
the coefficients at time t, the last those near the start. Terminal data: u_t + v·∇u + A:∇∇u = 0, and the clock
runs forwards. The noise of a draw is the same at every point x, so that u is an average of f over fixed maps of x:
exactly linear in f, monotone, and it keeps constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, TypeGuard

import torch
from torch import Tensor, nn

from pdedsl.numerics.integrators import EXPLICIT
from pdedsl.runtime.convection import Field, step
from pdedsl.runtime.noise import cholesky, times
from pdedsl.runtime.streams import fill, generator

Form = Literal["initial", "terminal"]
Drift = Tensor | Field | None
"""A constant velocity (d,), a field v(x, t) on points (..., d), or none."""
Diffusion = float | Tensor | Callable[[Tensor, float], Tensor]
"""ν of νΔu, the diagonal (d,) of A or A itself (d, d); or a callable (x, t) to (...), (..., d) or (..., d, d)."""


class Estimate(NamedTuple):
    """A Monte-Carlo mean and its standard error (zero where nothing is random)."""

    mean: Tensor
    standard_error: Tensor


class Piece(nn.Module):
    """The coefficients on the times [start, stop]."""

    def __init__(self, start: float, stop: float, drift: Drift = None, diffusion: Diffusion = 0.0) -> None:
        super().__init__()
        if not start < stop:
            raise ValueError(f"a piece of time must have start < stop, got [{start:g}, {stop:g}]")
        self.start, self.stop = start, stop
        self.drift = nn.Buffer(drift) if _is_plain_tensor(drift) else drift
        self.diffusion = nn.Buffer(diffusion) if _is_plain_tensor(diffusion) else diffusion

    @property
    def is_random(self) -> bool:
        return not (isinstance(self.diffusion, float | int) and self.diffusion == 0)

    @property
    def has_constant_coefficients(self) -> bool:
        """Then one Gaussian increment is exact, however long the step."""
        return not _is_function(self.drift) and not _is_function(self.diffusion)

    def velocity(self, x: Tensor, t: float) -> Tensor:
        if self.drift is None:
            return torch.zeros_like(x)
        return self.drift.to(x).expand_as(x) if isinstance(self.drift, Tensor) else self.drift(x, t)

    def shake(self, x: Tensor, dt: float) -> Callable[[Tensor, float, Tensor], Tensor]:
        """(x, t, ξ) ↦ √Δt·Σ(x, t)·ξ with ΣΣᵀ = 2A, for ξ of shape (draws, 1, d); a constant Σ is found once."""
        diffusion = self.diffusion
        if isinstance(diffusion, Tensor | float | int):
            exact = torch.as_tensor(diffusion, dtype=x.dtype, device=x.device)  # a number with all its digits
            root = _root(2.0 * dt * exact, 0)
            return lambda x, t, noise: _act(root, noise, 0)
        return lambda x, t, noise: _act(_root(2.0 * dt * diffusion(x, t), x.dim() - 1), noise, x.dim() - 1)


def _is_plain_tensor(value: object) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and not isinstance(value, nn.Parameter)


def _is_function(value: Drift | Diffusion) -> bool:
    return not (value is None or isinstance(value, Tensor | float | int))


def _root(covariance: Tensor, points: int) -> Tensor:
    """A factor of the covariance at each point: of a number or a diagonal its root, of a matrix its Cholesky factor."""
    return cholesky(covariance) if covariance.dim() == points + 2 else covariance.sqrt()


def _act(root: Tensor, noise: Tensor, points: int) -> Tensor:
    if root.dim() == points + 2:
        return times(root, noise)
    return noise * (root.unsqueeze(-1) if root.dim() == points and points > 0 else root)


class Leg(NamedTuple):
    """A stretch of the path within one piece: `steps` steps of length `dt` from the PDE time `start`."""

    piece: Piece
    start: float
    dt: float
    steps: int


class Evolution(nn.Module):
    """`evolution(f, x, t)` is u(x, t) for data f, any callable from points (..., d) to (...), at points x (n, d).

    The data stand at the start of the first piece (form = "initial") or at the end of the last one, the `horizon`
    (form = "terminal"). A piece with diffusion takes Euler-Maruyama steps of at most `dt` (weak order 1), or one exact
    Gaussian step if its coefficients are constant; a piece without takes `scheme` steps. Pieces are passed in network
    order, for initial data the last in time first. `antithetic` uses each noise with both signs.
    """

    def __init__(
        self,
        drift: Drift = None,
        diffusion: Diffusion = 0.0,
        *,
        pieces: Sequence[Piece] = (),
        form: Form = "initial",
        horizon: float = math.inf,
        dt: float = 0.01,
        scheme: str = "rk4",
        samples: int = 1024,
        seed: int = 0,
        antithetic: bool = False,
        rows: int = 1 << 18,
    ) -> None:
        super().__init__()
        self.pieces = nn.ModuleList(_contiguous(pieces or [Piece(0.0, horizon, drift, diffusion)]))
        self.form, self.dt, self.scheme, self.rows = form, dt, scheme, rows
        self.samples, self.seed, self.antithetic = samples, seed, antithetic
        if form == "terminal" and math.isinf(self._pieces()[-1].stop):
            raise ValueError("terminal data need a finite horizon")
        if antithetic and samples % 2:
            raise ValueError(f"antithetic draws come in pairs, but samples = {samples}")

    def forward(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> Tensor:
        return self._values(f, x, t).mean(0)

    def estimate(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> Estimate:
        """The solution with the standard error of its Monte-Carlo average."""
        values = self._values(f, x, t)
        mean = values.mean(0)
        if len(values) == 1:
            return Estimate(mean, torch.zeros_like(mean))
        independent = values.reshape(2, -1, *mean.shape).mean(0) if self.antithetic else values
        return Estimate(mean, independent.std(0) / len(independent) ** 0.5)

    def legs(self, t: float) -> list[Leg]:
        """The path from time t to the data, in network order."""
        pieces = self._pieces()
        if not pieces[0].start <= t <= pieces[-1].stop:
            raise ValueError(f"time {t:g} is outside [{pieces[0].start:g}, {pieces[-1].stop:g}]")
        if self.form == "initial":
            spans = [(piece, min(piece.stop, t), min(piece.stop, t) - piece.start) for piece in reversed(pieces)]
        else:
            spans = [(piece, max(piece.start, t), piece.stop - max(piece.start, t)) for piece in pieces]
        return [self._leg(piece, start, length) for piece, start, length in spans if length > 0]

    def _leg(self, piece: Piece, start: float, length: float) -> Leg:
        steps = 1 if piece.has_constant_coefficients else math.ceil(length / self.dt * (1.0 - 1e-12))
        return Leg(piece, start, length / steps, steps)

    def _pieces(self) -> list[Piece]:
        return [piece for piece in self.pieces if isinstance(piece, Piece)]

    def _values(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> Tensor:
        """f at the ends of the paths, of shape (draws, n): one draw if nothing is random."""
        legs = self.legs(t)
        if not any(leg.piece.is_random for leg in legs):
            return f(self._follow(x, legs, range(1))).unsqueeze(0)
        points = max(1, x.shape[:-1].numel())
        most = max(1, self.rows // points)
        chunks = [range(k, min(k + most, self.samples)) for k in range(0, self.samples, most)]
        return torch.cat([f(self._follow(x, legs, draws)) for draws in chunks])

    def _follow(self, x: Tensor, legs: Sequence[Leg], draws: range) -> Tensor:
        for index, leg in enumerate(legs):
            x = self._shaken(x, leg, index, draws) if leg.piece.is_random else self._carried(x, leg)
        return x

    def _carried(self, x: Tensor, leg: Leg) -> Tensor:
        method, clock = EXPLICIT[self.scheme], self._clock()
        for k in range(leg.steps):
            x = step(method, leg.piece.velocity, x, leg.dt, leg.start + clock * k * leg.dt, clock)
        return x

    def _shaken(self, x: Tensor, leg: Leg, index: int, draws: range) -> Tensor:
        """X + Δt·v(X, t) + √Δt·Σ(X, t)·ξ."""
        shake = leg.piece.shake(x, leg.dt)
        for k in range(leg.steps):
            t = leg.start + self._clock() * k * leg.dt
            drift = 0.0 if leg.piece.drift is None else leg.dt * leg.piece.velocity(x, t)
            x = x + drift + shake(x, t, self._noise(x, index, k, draws))
        return x

    def _clock(self) -> float:
        return -1.0 if self.form == "initial" else 1.0

    def _noise(self, x: Tensor, leg: int, step: int, draws: range) -> Tensor:
        """ξ of shape (draws, 1, d), the same for all points."""
        number = self.samples // 2 if self.antithetic else self.samples
        noise = torch.empty(number, 1, x.shape[-1], dtype=x.dtype, device=x.device)
        if not noise.is_meta:
            fill(noise, "normal", generator(x.device, self.seed, leg, step))
        noise = torch.cat([noise, -noise]) if self.antithetic else noise
        return noise[draws.start : draws.stop]


def _contiguous(pieces: Sequence[Piece]) -> Sequence[Piece]:
    for before, after in pairwise(pieces):
        if not math.isclose(before.stop, after.start, abs_tol=1e-12):
            raise ValueError(f"the pieces leave a gap: one ends at {before.stop:g}, the next starts at {after.start:g}")
    return pieces
