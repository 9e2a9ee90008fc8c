"""What Square proposes: patches of ±ε for ℓ∞, bumps of equal and opposite mass for ℓ2, and analogues for vectors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.bumps import Bumps
from pdedsl.attacks.layout import column, select
from pdedsl.attacks.norms import L2, Linf, Norm


class Patches(Protocol):
    def start(self, x: Tensor) -> Tensor:
        """The first point of the search around x."""
        ...

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        """A change of `at` that covers about `share` of the entries; the caller projects it."""
        ...


def patches(norm: Norm, x: Tensor, eps: float, generator: torch.Generator) -> Patches:
    image = x.dim() == 4
    match norm:
        case Linf():
            return Stripes(eps, generator) if image else Corners(eps, generator)
        case L2():
            return Bumps(eps, generator) if image and min(x.shape[-2:]) >= 3 else Directions(eps, generator)
        case _:
            assert_never(norm)


@final
@dataclass(frozen=True)
class Stripes:
    """ℓ∞ on images: first vertical stripes of ±ε, then squares of ±ε, with a sign for each channel (Algorithm 2)."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        n, channels, _, width = x.shape
        return x + self.eps * signs(x.new_empty(n, channels, 1, width), self.generator)

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        n, channels, height, width = x.shape
        side = min(max(1, round(math.sqrt(share * height * width))), height, width)
        covered = window(x, side, self.generator)
        return torch.where(covered, x + self.eps * signs(x.new_empty(n, channels, 1, 1), self.generator), at)


@final
@dataclass(frozen=True)
class Corners:
    """ℓ∞ on vectors: a random set of entries takes random values ±ε."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        return x + self.eps * signs(torch.empty_like(x), self.generator)

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        chance = torch.empty_like(x).uniform_(generator=self.generator).flatten(1)
        number = min(max(1, round(share * chance.shape[1])), chance.shape[1])
        covered = (chance >= chance.topk(number, dim=1).values[:, -1:]).reshape(x.shape)
        return torch.where(covered, x + self.eps * signs(torch.empty_like(x), self.generator), at)


@final
@dataclass(frozen=True)
class Directions:
    """ℓ2 on vectors: at full norm ε, a direction changes by a step of relative length 2·`share`; one in ten is new."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        return x + self.eps * L2().steepest(torch.empty_like(x).normal_(generator=self.generator))

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        noise = L2().steepest(torch.empty_like(x).normal_(generator=self.generator))
        new = torch.rand(len(x), generator=self.generator, device=x.device) < 0.1
        mixed = L2().steepest(L2().steepest(at - x) + 2.0 * share * noise)
        return x + self.eps * select(new, noise, mixed)


def signs(out: Tensor, generator: torch.Generator) -> Tensor:
    """Fill with ±1."""
    return out.bernoulli_(0.5, generator=generator).mul_(2.0).sub_(1.0)


def corner(n: int, extent: int, side: int, generator: torch.Generator) -> Tensor:
    """For each row the first index of a window of `side` in an axis of `extent`, uniform."""
    return torch.randint(0, extent - side + 1, (n,), generator=generator, device=generator.device)


def window(x: Tensor, side: int, generator: torch.Generator) -> Tensor:
    """A random square in each image, as a mask of shape (n, 1, height, width)."""
    n, _, height, width = x.shape
    axes = [_interval(corner(n, extent, side, generator), side, extent) for extent in (height, width)]
    return axes[0][:, None, :, None] & axes[1][:, None, None, :]


def _interval(first: Tensor, side: int, extent: int) -> Tensor:
    index = torch.arange(extent, device=first.device)
    return (index >= column(first, first[:, None])) & (index < column(first + side, first[:, None]))
