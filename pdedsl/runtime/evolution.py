"""The evolution operator on R^d: g ↦ u(·, t) for u_t = v·∇u + A:∇∇u + c u + f, by characteristics and Feynman-Kac.

Initial data: u(x, t) = E[e^{∫c} g(Y) + ∫ e^{∫c} f], dY = v(Y, t − τ)dτ + Σ dB, Y₀ = x, ΣΣᵀ = 2A; the first step sees
the coefficients at time t, the last those near the start. Terminal data: u_t + v·∇u + A:∇∇u + c u + f = 0, and the
clock runs forwards. The noise of a draw is the same at every point x while the stream is frozen, which is the default
here: u is then an average of g over fixed maps of x, exactly linear in g if f = 0, monotone, and it preserves constants
if also c = 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor, nn

from pdedsl.numerics.integrators import EXPLICIT, HEUN
from pdedsl.runtime.paths import Leg, Path, carried, shaken
from pdedsl.runtime.pieces import Diffusion, Drift, Piece, Rate
from pdedsl.runtime.streams import IS_SUM, Law, Stream
from pdedsl.words.directions import Direction


class Estimate(NamedTuple):
    """A Monte-Carlo mean and its standard error (zero if nothing is random)."""

    mean: Tensor
    standard_error: Tensor


class Evolution(nn.Module):
    """`evolution(g, x, t)` is u(x, t) for data g, any callable from points (..., d) to (...), at points x (n, d).

    The data are given at the start of the first piece (form = "initial") or at the end of the last one, the `horizon`
    (form = "terminal"). A piece without diffusion takes steps of the `scheme`, of at most `dt`; a piece with diffusion
    takes Euler-Maruyama steps, or steps of the stochastic Heun method if that is the scheme; if all its coefficients
    are constant and its noise is Gaussian, one exact step. Pieces are passed in network order: for initial data, the
    last in time first. `law` is that of the noise, and `antithetic` uses each noise with both signs.
    """

    def __init__(
        self,
        drift: Drift = None,
        diffusion: Diffusion = 0.0,
        *,
        rate: Rate = 0.0,
        source: Rate = 0.0,
        pieces: Sequence[Piece] = (),
        form: str = "initial",
        horizon: float = math.inf,
        dt: float = 0.01,
        scheme: str = "rk4",
        samples: int = 1024,
        seed: int = 0,
        antithetic: bool = False,
        law: Law = "normal",
        rows: int = 1 << 18,
    ) -> None:
        super().__init__()
        self.pieces = nn.ModuleList(_contiguous(pieces or [Piece(0.0, horizon, drift, diffusion, rate, source)]))
        self.form, self.dt, self.scheme, self.rows = Direction(form), dt, scheme, rows
        self.samples, self.seed, self.antithetic, self.law = samples, seed, antithetic, law
        self.stream = Stream(seed)
        self.stream.frozen = True
        if self.form is Direction.TERMINAL and math.isinf(self._pieces()[-1].stop):
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
        if self.form is Direction.INITIAL:
            spans = [(piece, min(piece.stop, t), min(piece.stop, t) - piece.start) for piece in reversed(pieces)]
        else:
            spans = [(piece, max(piece.start, t), piece.stop - max(piece.start, t)) for piece in pieces]
        return [self._leg(piece, start, length) for piece, start, length in spans if length > 0]

    def _leg(self, piece: Piece, start: float, length: float) -> Leg:
        exact = piece.has_constant_coefficients and (IS_SUM[self.law] or not piece.is_random)
        steps = 1 if exact else math.ceil(length / self.dt * (1.0 - 1e-12))
        return Leg(piece, start, length / steps, steps, -1.0 if self.form is Direction.INITIAL else 1.0)

    def _pieces(self) -> list[Piece]:
        return [piece for piece in self.pieces if isinstance(piece, Piece)]

    def between(self, low: float, high: float) -> Evolution:
        """The same equation between two times, with its data given there and frozen noise."""
        pieces = [part for piece in self._pieces() if (part := piece.within(low, high)) is not None]
        options = {name: getattr(self, name) for name in ("form", "dt", "scheme", "samples", "seed", "law")}
        return Evolution(pieces=pieces, **options)

    def _values(self, f: Callable[[Tensor], Tensor], x: Tensor, t: float) -> Tensor:
        """The value of each path, of shape (draws, n); one draw if nothing is random."""
        legs = self.legs(t)
        if not any(leg.piece.is_random for leg in legs):
            return self._follow(x, legs, range(1)).value(f).unsqueeze(0)
        if not self.stream.frozen:
            self.stream.advance()
        if torch.compiler.is_exporting():  # for any number of points: all at once
            return self._follow(x, legs, range(self.samples)).value(f)
        points = max(1, x.shape[:-1].numel())
        most = max(1, self.rows // points)
        chunks = [range(k, min(k + most, self.samples)) for k in range(0, self.samples, most)]
        return torch.cat([self._follow(x, legs, draws).value(f) for draws in chunks])

    def _follow(self, x: Tensor, legs: Sequence[Leg], draws: range) -> Path:
        method, path = EXPLICIT[self.scheme], Path(x)
        for index, leg in enumerate(legs):
            if leg.piece.is_random:
                path = shaken(path, leg, method is HEUN, self._drawn(index, draws))
            else:
                path = carried(path, leg, method)
        return path

    def _drawn(self, leg: int, draws: range) -> Callable[[Tensor, int], Tensor]:
        return lambda x, step: self._noise(x, leg, step, draws)

    def _noise(self, x: Tensor, leg: int, step: int, draws: range) -> Tensor:
        """ξ of shape (draws, rows, d); while the stream is frozen one row, the same for all points."""
        number = self.samples // 2 if self.antithetic else self.samples
        rows = 1 if self.stream.frozen else x.shape[-2]
        noise = self.stream.block(x, self.law, (number, rows, x.shape[-1]), leg, step)
        noise = torch.cat([noise, -noise]) if self.antithetic else noise
        return noise[draws.start : draws.stop]


def _contiguous(pieces: Sequence[Piece]) -> Sequence[Piece]:
    for before, after in pairwise(pieces):
        if not math.isclose(before.stop, after.start, abs_tol=1e-12):
            raise ValueError(f"the pieces leave a gap: one ends at {before.stop:g}, the next starts at {after.start:g}")
    return pieces
