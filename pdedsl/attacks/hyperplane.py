"""The point of a hyperplane, within the box, that is nearest to x: min ‖z − x‖ with ⟨w, z⟩ = ⟨w, p⟩ − g, lo ≤ z ≤ hi.

For ℓ2 z = clip(x − λw), for ℓ∞ z = clip(x − λ sign w): one multiplier λ ≥ 0 (after a change of sign of w), and r(λ) =
⟨w, z(λ)⟩ decreases, ever more slowly as coordinates are clipped: it is convex, so that Newton's method from λ = 0 rises
to the root, never passes it, and ends after as many steps as there are changes of slope on the way.
"""

from __future__ import annotations

from typing import assert_never

import torch
from torch import Tensor

from pdedsl.attacks.layout import column, inner
from pdedsl.attacks.norms import L2, Linf, Norm

NEWTON = 12


def nearest_on_plane(norm: Norm, x: Tensor, w: Tensor, level: Tensor, lo: Tensor, hi: Tensor) -> Tensor:
    """The point with ⟨w, z⟩ = `level`, or the corner of the box that comes closest to that level."""
    flip = torch.where(inner(w, x) < level, -1.0, 1.0).to(x.dtype)
    w, level = w * column(flip, w), level * flip
    along = _along(norm, w)
    multiplier = torch.zeros_like(level)
    for _ in range(NEWTON):
        z = (x - column(multiplier, x) * along).clamp(lo, hi)
        rest = inner(w, z) - level
        slope = inner(w, along * torch.where(along > 0.0, z > lo, z < hi))
        step = torch.where(slope > 0.0, rest / slope, 0.0).clamp_min(0.0)
        if bool((step <= 1e-6 * multiplier).all()):
            break
        multiplier = multiplier + step
    return (x - column(multiplier, x) * along).clamp(lo, hi)


def _along(norm: Norm, w: Tensor) -> Tensor:
    match norm:
        case L2():
            return w
        case Linf():
            return w.sign()
        case _:
            assert_never(norm)
