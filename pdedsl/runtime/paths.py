"""A Feynman-Kac path and what it accumulates: u = E[e^{∫c} g(X) + ∫ e^{∫₀ˢc} f(X_s) ds].

Steps of X' = v or dX = v dt + Σ dB carry the weight e^{∫c} and the sum of sources along (Øksendal, theorem 8.2.1):

    no noise        X, ∫c and the sum are one system, which the method of the characteristics steps with its own order
    Euler-Maruyama  X + Δt·v(X, t) + √Δt·Σ(X, t)·ξ, of weak order 1 (Kloeden, Platen, section 14.1)
    Heun            X + ½Δt·(v(X, t) + v(X*, t + Δt)) + √Δt·Σ(X, t + ½Δt)·ξ, with X* the step of Euler-Maruyama: of weak
                    order 2 where Σ does not depend on x (section 15.1 there), otherwise of order 1
    sums            by the trapezoidal rule, which keeps these orders
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from pdedsl.numerics.integrators import RungeKutta
from pdedsl.runtime.convection import step
from pdedsl.runtime.pieces import Piece


class Path(NamedTuple):
    """The point, the logarithm ∫c of the weight, and the sum of sources."""

    x: Tensor
    growth: Tensor | float = 0.0
    gained: Tensor | float = 0.0

    def value(self, data: Callable[[Tensor], Tensor]) -> Tensor:
        """e^{∫c} g(X) + ∫ e^{∫c} f."""
        value = data(self.x)
        if not _is_zero(self.growth):
            value = _exp(self.growth) * value
        return value if _is_zero(self.gained) else value + self.gained

    def weighed(self, growth: Tensor | float, gained: Tensor | float) -> Path:
        """Followed by a stretch with its own weight and sum, the latter counted from the start of the stretch."""
        return Path(self.x, self.growth + growth, self.gained + _exp(self.growth) * gained)


class Leg(NamedTuple):
    """A stretch of the path within one piece: `steps` steps of length `dt` from the PDE time `start`."""

    piece: Piece
    start: float
    dt: float
    steps: int
    clock: float

    def time(self, k: float) -> float:
        return self.start + self.clock * k * self.dt


def carried(path: Path, leg: Leg, method: RungeKutta) -> Path:
    """Along X' = v(X, t)."""
    piece, x = leg.piece, path.x
    if piece.has_constant_rates:
        for k in range(leg.steps):
            x = step(method, piece.velocity, x, leg.dt, leg.time(k), leg.clock)
        return path._replace(x=x).weighed(*piece.exact_weights(leg.dt * leg.steps))

    def slope(y: Tensor, t: float) -> Tensor:
        """The derivatives (v, c, e^{∫c} f) of (X, ∫c, ∫e^{∫c}f)."""
        rate, source = piece.rates(y[..., :-2], t)
        gain = torch.exp(y[..., -2]) * source
        return torch.cat([piece.velocity(y[..., :-2], t), rate.unsqueeze(-1), gain.unsqueeze(-1)], -1)

    y = torch.cat([x, x.new_zeros(*x.shape[:-1], 2)], -1)
    for k in range(leg.steps):
        y = step(method, slope, y, leg.dt, leg.time(k), leg.clock)
    return path._replace(x=y[..., :-2]).weighed(y[..., -2], y[..., -1])


def shaken(path: Path, leg: Leg, heun: bool, noise: Callable[[Tensor, int], Tensor]) -> Path:
    """Along dX = v dt + Σ dB, with ξ = noise(x, k) in step k."""
    piece = leg.piece
    if piece.has_constant_rates:
        for x in _walk(path.x, leg, heun, noise):
            path = path._replace(x=x)
        return path.weighed(*piece.exact_weights(leg.dt * leg.steps))
    rate, source = piece.rates(path.x, leg.start)
    for k, x in enumerate(_walk(path.x, leg, heun, noise), 1):
        next_rate, next_source = piece.rates(x, leg.time(k))
        growth = 0.5 * leg.dt * (rate + next_rate)
        gained = 0.5 * leg.dt * (source + torch.exp(growth) * next_source)
        path, rate, source = path._replace(x=x).weighed(growth, gained), next_rate, next_source
    return path


def _walk(x: Tensor, leg: Leg, heun: bool, noise: Callable[[Tensor, int], Tensor]) -> Iterator[Tensor]:
    """The points after each step."""
    piece, dt, shake = leg.piece, leg.dt, leg.piece.shake(x, leg.dt)
    for k in range(leg.steps):
        shock = shake(x, leg.time(k + 0.5 if heun else k), noise(x, k))
        if piece.drift is not None:
            slope = piece.velocity(x, leg.time(k))
            if heun:
                slope = 0.5 * (slope + piece.velocity(x + dt * slope + shock, leg.time(k + 1)))
            x = x + dt * slope
        x = x + shock
        yield x


def _is_zero(value: Tensor | float) -> bool:
    return not isinstance(value, Tensor) and value == 0


def _exp(value: Tensor | float) -> Tensor | float:
    return value.exp() if isinstance(value, Tensor) else math.exp(value)
