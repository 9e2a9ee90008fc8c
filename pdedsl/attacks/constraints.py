"""Feasible set of an attack: ε-ball ∩ box, with exact projection.

The constraints hold exactly for the stored numbers: ‖x′ − x‖ ≤ ε in real arithmetic, not up to the rounding of x + δ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.batch_ops import column, take
from pdedsl.attacks.norms import L2, Linf, Norm

# ---- Box


Bound = float | Tensor


@final
@dataclass(frozen=True)
class Box:
    """Box of valid inputs, lower ≤ x ≤ upper.

    Args:
        lower: lower bound, a number or a tensor that broadcasts against one sample.
        upper: upper bound, in the same way.

    Example:
        >>> from pdedsl.attacks import Box
        >>> Box(0.0, 1.0).bounded, Box().bounded
        (True, False)
    """

    lower: Bound = -math.inf
    upper: Bound = math.inf

    @property
    def bounded(self) -> bool:
        """Whether all bounds are finite."""
        ends = (torch.as_tensor(self.lower), torch.as_tensor(self.upper))
        return all(bool(end.isfinite().all()) for end in ends)

    def ends(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Both bounds as tensors of the dtype and device of x, rounded inwards, that broadcast against x."""
        return self._rounded_inwards(self.lower, x, math.inf), self._rounded_inwards(self.upper, x, -math.inf)

    def check(self, x: Tensor) -> None:
        lower, upper = self.ends(x)
        beyond = torch.maximum(lower - x, x - upper).amax().item() if x.numel() else 0.0
        if beyond > 0.0:
            raise ValueError(f"x exceeds `bounds` by {beyond:g}; inputs and bounds must have the same units")

    @staticmethod
    def _rounded_inwards(end: Bound, x: Tensor, towards: float) -> Tensor:
        if isinstance(end, Tensor):
            return end.to(x)
        near = x.new_tensor(end)
        missed = near.item() < end if towards > 0 else near.item() > end
        return torch.nextafter(near, near.new_tensor(towards)) if missed else near


def read_box(bounds: Box | tuple[Bound, Bound] | None) -> Box:
    if bounds is None:
        return Box()
    return bounds if isinstance(bounds, Box) else Box(*bounds)


# ---- Feasible sets


@final
@dataclass(frozen=True)
class LinfFeasibleSet:
    """ℓ∞ ball ∩ box, lo ≤ x′ ≤ hi: projection is a clamp."""

    lo: Tensor
    hi: Tensor

    def project(self, x: Tensor) -> Tensor:
        return x.clamp(self.lo, self.hi)

    def take(self, rows: Tensor) -> LinfFeasibleSet:
        return LinfFeasibleSet(take(self.lo, rows), take(self.hi, rows))


@final
@dataclass(frozen=True)
class L2FeasibleSet:
    """ℓ2 ball ∩ box: ‖x′ − x‖₂ ≤ r and lo ≤ x′ ≤ hi."""

    x: Tensor
    radius: Tensor
    lo: Tensor
    hi: Tensor
    cut: bool

    def project(self, x: Tensor) -> Tensor:
        """The nearest point of ball ∩ box, x + clip(s·v), with the largest s ≤ 1 for which it is in the ball.

        The optimality conditions of min ‖δ − v‖ leave one multiplier, that of the ball, hence s. With C the clipped
        coordinates at s, s ← √((r² − ‖δ_C‖²)/‖v_F‖²) rises to the root from below and may stop at any time.
        """
        v = x - self.x
        tiny = torch.finfo(v.dtype).tiny
        scale = (self.radius / L2().length(v).clamp_min(tiny)).clamp(max=1.0)
        for _ in range(3 if self.cut else 0):
            moved = self.x + v * column(scale, v)
            free = (moved > self.lo) & (moved < self.hi)
            clipped = (moved.clamp(self.lo, self.hi) - self.x).masked_fill(free, 0.0)
            left = (self.radius.square() - clipped.flatten(1).square().sum(1)).clamp_min(0.0)
            room = (left / (v * free).flatten(1).square().sum(1).clamp_min(tiny)).sqrt()
            scale = torch.maximum(scale, room.clamp(max=1.0))
        return self._inside(self.x + v * column(scale, v))

    def _inside(self, x: Tensor) -> Tensor:
        """Clipped to the box, and scaled once more if clipping overshot by a rounding error."""
        x = x.clamp(self.lo, self.hi)
        if not self.cut:
            return x
        away = x - self.x
        excess = (self.radius / L2().length(away).clamp_min(torch.finfo(x.dtype).tiny)).clamp(max=1.0)
        return (self.x + away * column(excess, away)).clamp(self.lo, self.hi)

    def take(self, rows: Tensor) -> L2FeasibleSet:
        lo, hi = (take(end, rows) if len(end) == len(self.x) else end for end in (self.lo, self.hi))
        return L2FeasibleSet(take(self.x, rows), self.radius[rows], lo, hi, self.cut)


FeasibleSet = LinfFeasibleSet | L2FeasibleSet


def feasible_set(norm: Norm, x: Tensor, eps: float, box: Box) -> FeasibleSet:
    """The points within ε of x and within the box, which must contain x."""
    radius = round_down(eps, x)
    match norm:
        case Linf():
            return _linf_set(x, radius, box)
        case L2():
            return _ball(x, radius, box)
        case _:
            assert_never(norm)


def round_down(eps: float, x: Tensor) -> Tensor:
    """The largest number in the dtype of x that does not exceed ε."""
    if not eps >= 0.0:
        raise ValueError(f"eps must be a nonnegative number, not {eps}")
    near = x.new_tensor(eps)
    return near if near.item() <= eps else torch.nextafter(near, near.new_tensor(0.0))


def _linf_set(x: Tensor, eps: Tensor, box: Box) -> LinfFeasibleSet:
    lower, upper = box.ends(x)
    return LinfFeasibleSet(
        torch.maximum(_within(x, x - eps, eps), lower), torch.minimum(_within(x, x + eps, eps), upper)
    )


def _within(x: Tensor, end: Tensor, eps: Tensor) -> Tensor:
    """`end`, x ± ε up to rounding, moved towards x until |end − x| ≤ ε in real arithmetic."""
    for _ in range(2):
        end = torch.where(_farther(x, end, eps), torch.nextafter(end, x), end)
    return end


def _farther(a: Tensor, b: Tensor, eps: Tensor) -> Tensor:
    """|a − b| > ε, decided exactly: a − b is its rounded value plus an error term (Knuth's TwoSum)."""
    difference = a - b
    other = difference - a
    error = (a - (difference - other)) - (b + other)
    length, rest = difference.abs(), torch.where(difference < 0, -error, error)
    return (length > eps) | ((length == eps) & (rest > 0))


def _ball(x: Tensor, eps: Tensor, box: Box) -> L2FeasibleSet:
    """r = ε − u(‖x‖ + 16 ε), u the unit roundoff: storing x + δ moves it by u‖x + δ‖ at most; lengths are rounded."""
    lower, upper = box.ends(x)
    unit = torch.finfo(x.dtype).eps / 2
    radius = (eps - unit * (L2().length(x) + 17.0 * eps)).clamp_min(0.0)
    cut = bool(lower.isfinite().any() | upper.isfinite().any())
    return L2FeasibleSet(x, radius, _sample(lower, x), _sample(upper, x), cut)


def _sample(end: Tensor, x: Tensor) -> Tensor:
    """An end with the batch axis, which distinguishes its rows from its channels."""
    return end.reshape(*[1] * (x.dim() - end.dim()), *end.shape)
