"""Norms of perturbations: ℓ∞ and ℓ2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.batch_ops import column


@final
@dataclass(frozen=True)
class Linf:
    """The norm ‖v‖ = max |vᵢ| of each row of v (n, …); its dual is ℓ1.

    Example:
        >>> import torch
        >>> from pdedsl.attacks import Linf
        >>> Linf().length(torch.tensor([[3.0, -4.0]])).tolist()
        [4.0]
    """

    name = "inf"

    def length(self, v: Tensor) -> Tensor:
        """Norms of the rows, (n,)."""
        return v.flatten(1).abs().amax(1)

    def steepest(self, gradient: Tensor) -> Tensor:
        """argmax ⟨g, v⟩ over ‖v‖ ≤ 1: sign g. NaN in a gradient gives 0."""
        return gradient.sign()

    def uniform(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """Uniform in the unit ball, one vector per row."""
        return torch.empty_like(x).uniform_(-1.0, 1.0, generator=generator)


@final
@dataclass(frozen=True)
class L2:
    """The norm ‖v‖ = √Σ vᵢ² of each row of v (n, …); it is its own dual.

    Example:
        >>> import torch
        >>> from pdedsl.attacks import L2
        >>> L2().length(torch.tensor([[3.0, -4.0]])).tolist()
        [5.0]
    """

    name = "2"

    def length(self, v: Tensor) -> Tensor:
        """Norms of the rows, (n,)."""
        return v.flatten(1).square().sum(1).sqrt()

    def steepest(self, gradient: Tensor) -> Tensor:
        """argmax ⟨g, v⟩ over ‖v‖ ≤ 1: g/‖g‖. Scaled by the largest entry first, so that squares do not overflow."""
        finite = gradient.nan_to_num()
        tiny = torch.finfo(gradient.dtype).tiny
        scaled = finite / column(finite.flatten(1).abs().amax(1).clamp_min(tiny), finite)
        return scaled / column(self.length(scaled).clamp_min(tiny), scaled)

    def uniform(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """Uniform in the unit ball: a direction times U^(1/d)."""
        direction = self.steepest(torch.empty_like(x).normal_(generator=generator))
        radius = torch.rand(len(x), generator=generator, dtype=x.dtype, device=x.device).pow(1.0 / x.shape[1:].numel())
        return direction * column(radius, x)


Norm = Linf | L2
NormName = str | float | Linf | L2
NORMS: dict[str | float, Norm] = {
    **dict.fromkeys(("inf", "linf", "Linf", math.inf), Linf()),
    **dict.fromkeys(("2", "l2", "L2", 2), L2()),
}


def read_norm(norm: NormName) -> Norm:
    """ "inf", math.inf, "2" or 2, from the public interface, as a Norm."""
    if isinstance(norm, Linf | L2):
        return norm
    if norm not in NORMS:
        raise ValueError(f"unknown norm {norm!r}; available: 'inf', '2'")
    return NORMS[norm]


def read_euclidean(norm: NormName) -> L2:
    """The norm of an attack that is defined for ℓ2 only."""
    measure = read_norm(norm)
    if not isinstance(measure, L2):
        raise ValueError(f"this attack is defined for norm='2' only, not {measure.name!r}")
    return measure
