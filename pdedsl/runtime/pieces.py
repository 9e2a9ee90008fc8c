"""The coefficients of u_t = v·∇u + A:∇∇u + c u + f between two times."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeGuard

import torch
from torch import Tensor, nn

from pdedsl.runtime.convection import Field
from pdedsl.runtime.noise import cholesky, times

Drift = Tensor | Field | None
"""A constant velocity (d,), a field v(x, t) on points (..., d), or none."""
Diffusion = float | Tensor | Callable[[Tensor, float], Tensor]
"""ν of νΔu, the diagonal (d,) of A or A itself (d, d); or a callable (x, t) to (...), (..., d) or (..., d, d)."""
Rate = float | Callable[[Tensor, float], Tensor]
"""A number, or a callable (x, t) to one at each point, (...)."""


class Piece(nn.Module):
    """The coefficients for times in [start, stop]: drift v, diffusion A, rate c and source f."""

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
            raise ValueError(f"a piece of time must have start < stop, got [{start:g}, {stop:g}]")
        self.start, self.stop = start, stop
        self.drift = nn.Buffer(drift) if _is_plain_tensor(drift) else drift
        self.diffusion = nn.Buffer(diffusion) if _is_plain_tensor(diffusion) else diffusion
        self.rate, self.source = rate, source

    def within(self, start: float, stop: float) -> Piece | None:
        """The same coefficients on the part of the piece within [start, stop]."""
        low, high = max(self.start, start), min(self.stop, stop)
        return Piece(low, high, self.drift, self.diffusion, self.rate, self.source) if low < high else None

    @property
    def is_random(self) -> bool:
        return not (isinstance(self.diffusion, float | int) and self.diffusion == 0)

    @property
    def has_constant_coefficients(self) -> bool:
        """If so, one Gaussian increment is exact, however long the step."""
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

    def shake(self, x: Tensor, dt: float) -> Callable[[Tensor, float, Tensor], Tensor]:
        """(x, t, ξ) ↦ √Δt·Σ(x, t)·ξ with ΣΣᵀ = 2A, for ξ of shape (draws, rows, d); a constant Σ is computed once."""
        diffusion = self.diffusion
        if isinstance(diffusion, Tensor | float | int):
            exact = torch.as_tensor(diffusion, dtype=x.dtype, device=x.device)  # a number with full precision
            root = _root(2.0 * dt * exact, 0)
            return lambda x, t, noise: _act(root, noise, 0)
        return lambda x, t, noise: _act(_root(2.0 * dt * diffusion(x, t), x.dim() - 1), noise, x.dim() - 1)


def _at(value: Rate, x: Tensor, t: float) -> Tensor:
    return torch.full_like(x[..., 0], value) if isinstance(value, float | int) else value(x, t)


def _is_plain_tensor(value: object) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and not isinstance(value, nn.Parameter)


def _is_function(value: Drift | Diffusion | Rate) -> bool:
    return not (value is None or isinstance(value, Tensor | float | int))


def _root(covariance: Tensor, points: int) -> Tensor:
    """A factor of the covariance at each point: the root of a number or a diagonal, the Cholesky factor of a matrix."""
    return cholesky(covariance) if covariance.dim() == points + 2 else covariance.sqrt()


def _act(root: Tensor, noise: Tensor, points: int) -> Tensor:
    if root.dim() == points + 2:
        return times(root, noise)
    return noise * (root.unsqueeze(-1) if root.dim() == points and points > 0 else root)
