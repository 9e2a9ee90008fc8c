"""Square for ℓ2 on images: perturbation mass moves between windows, shaped by bumps (Algorithm 3 of the paper)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, Bounds, Result, attack_context
from pdedsl.attacks.batch_ops import column, select, take
from pdedsl.attacks.constraints import FeasibleSet
from pdedsl.attacks.criterion import margin
from pdedsl.attacks.norms import L2, Linf, Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model

# ---- bumps


def bump(height: int, width: int) -> Tensor:
    """Σ_{k ≥ r} 1/(k + 1)² at the distance r (in ℓ∞) from the middle: largest in the middle, never 0."""
    rows = (torch.arange(height) - height // 2).abs()
    columns = (torch.arange(width) - width // 2).abs()
    ring = torch.maximum(rows[:, None], columns[None, :])
    terms = 1.0 / torch.arange(1, int(ring.max()) + 2, dtype=torch.float64).square()
    return terms.flip(0).cumsum(0).flip(0)[ring]


def bump_pair(side: int, turned: bool) -> Tensor:
    """η: a bump in one half of the window and its negative in the other, of norm 1."""
    half = side // 2
    eta = torch.cat([bump(half, side), -bump(side - half, side)]) if half else bump(side, side)
    eta /= torch.linalg.vector_norm(eta)
    return eta.T.contiguous() if turned else eta  # kron does not accept a transposed view


@final
@dataclass(frozen=True)
class L2ImageProposals:
    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        """Bumps on a grid of five by five tiles, with a sign for each tile and channel."""
        n, channels, height, width = x.shape
        side = max(1, min(height, width) // 5)
        tiles = (height // side, width // side)
        sign = x.new_empty(n, channels, *tiles).bernoulli_(0.5, generator=self.generator).mul_(2.0).sub_(1.0)
        pattern = torch.kron(sign, bump_pair(side, self._coin()).to(x))
        away = torch.zeros_like(x)
        away[..., : tiles[0] * side, : tiles[1] * side] = pattern
        return x + self.eps * L2().steepest(away)

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        """Window W₁ takes the mass of both windows and what ε leaves unused, in the shape ρη + ν/‖ν‖; W₂ becomes 0."""
        side = self._side(share, *x.shape[-2:])
        away = at - x
        eta = bump_pair(side, self._coin()).to(x)
        (first, shape), (second, _) = self._place(x, eta), self._place(x, eta)
        unused = (self.eps**2 - away.flatten(1).square().sum(1)).clamp_min(0.0) / x.shape[1]
        mass = (away.square() * (first | second)).flatten(2).sum(2) + unused[:, None]
        old = away * first
        sign = x.new_empty(x.shape[:2]).bernoulli_(0.5, generator=self.generator).mul_(2.0).sub_(1.0)
        new = shape * sign[..., None, None] + old / column(L2().length(old).clamp_min(torch.finfo(x.dtype).tiny), old)
        scale = mass.sqrt() / torch.linalg.vector_norm(new, dim=(2, 3)).clamp_min(torch.finfo(x.dtype).tiny)
        return x + torch.where(first, new * scale[..., None, None], away.masked_fill(second, 0.0))

    def _side(self, share: float, height: int, width: int) -> int:
        """Odd and at least 3."""
        side = max(3, round(math.sqrt(share * height * width)))
        return min(side + 1 - side % 2, *(extent - 1 + extent % 2 for extent in (height, width)))

    def _place(self, x: Tensor, eta: Tensor) -> tuple[Tensor, Tensor]:
        """A random window in each image: its mask and η in it, both of shape (n, 1, height, width)."""
        (n, _, *extents), side = x.shape, len(eta)
        firsts = [torch.randint(0, e - side + 1, (n, 1), generator=self.generator, device=x.device) for e in extents]
        offsets = [torch.arange(e, device=x.device) - first for e, first in zip(extents, firsts, strict=True)]
        inside = [(offset >= 0) & (offset < side) for offset in offsets]
        mask = (inside[0][:, :, None] & inside[1][:, None, :])[:, None]
        index = [offset.clamp(0, side - 1) for offset in offsets]
        return mask, eta[index[0][:, :, None], index[1][:, None, :]][:, None] * mask

    def _coin(self) -> bool:
        return bool(torch.rand((), generator=self.generator, device=self.generator.device) < 0.5)


# ---- patches
# What Square proposes: patches of ±ε for ℓ∞, bumps of equal and opposite mass for ℓ2, and analogues for vectors.


class Proposals(Protocol):
    def start(self, x: Tensor) -> Tensor:
        """The first point of the search around x."""
        ...

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        """A change of `at` that covers about `share` of the entries; the caller projects it."""
        ...


def make_proposals(norm: Norm, x: Tensor, eps: float, generator: torch.Generator) -> Proposals:
    image = x.dim() == 4
    match norm:
        case Linf():
            return LinfImageProposals(eps, generator) if image else LinfVectorProposals(eps, generator)
        case L2():
            return (
                L2ImageProposals(eps, generator)
                if image and min(x.shape[-2:]) >= 3
                else L2VectorProposals(eps, generator)
            )
        case _:
            assert_never(norm)


@final
@dataclass(frozen=True)
class LinfImageProposals:
    """ℓ∞ on images: first vertical stripes of ±ε, then squares of ±ε, with a sign for each channel (Algorithm 2)."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        n, channels, _, width = x.shape
        return x + self.eps * random_signs(x.new_empty(n, channels, 1, width), self.generator)

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        n, channels, height, width = x.shape
        side = min(max(1, round(math.sqrt(share * height * width))), height, width)
        covered = random_window(x, side, self.generator)
        return torch.where(covered, x + self.eps * random_signs(x.new_empty(n, channels, 1, 1), self.generator), at)


@final
@dataclass(frozen=True)
class LinfVectorProposals:
    """ℓ∞ on vectors: a random set of entries takes random values ±ε."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        return x + self.eps * random_signs(torch.empty_like(x), self.generator)

    def proposal(self, x: Tensor, at: Tensor, share: float) -> Tensor:
        chance = torch.empty_like(x).uniform_(generator=self.generator).flatten(1)
        number = min(max(1, round(share * chance.shape[1])), chance.shape[1])
        covered = (chance >= chance.topk(number, dim=1).values[:, -1:]).reshape(x.shape)
        return torch.where(covered, x + self.eps * random_signs(torch.empty_like(x), self.generator), at)


@final
@dataclass(frozen=True)
class L2VectorProposals:
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


def random_signs(out: Tensor, generator: torch.Generator) -> Tensor:
    """Fill with ±1."""
    return out.bernoulli_(0.5, generator=generator).mul_(2.0).sub_(1.0)


def corner(n: int, extent: int, side: int, generator: torch.Generator) -> Tensor:
    """For each row the first index of a window of `side` in an axis of `extent`, uniform."""
    return torch.randint(0, extent - side + 1, (n,), generator=generator, device=generator.device)


def random_window(x: Tensor, side: int, generator: torch.Generator) -> Tensor:
    """A random square in each image, as a mask of shape (n, 1, height, width)."""
    n, _, height, width = x.shape
    axes = [_interval(corner(n, extent, side, generator), side, extent) for extent in (height, width)]
    return axes[0][:, None, :, None] & axes[1][:, None, None, :]


def _interval(first: Tensor, side: int, extent: int) -> Tensor:
    index = torch.arange(extent, device=first.device)
    return (index >= column(first, first[:, None])) & (index < column(first + side, first[:, None]))


# ---- squares
# Square: random search over square patches, from logits alone (Andriushchenko et al., ECCV 2020).


HALVINGS = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)
"""Of 10,000 queries, those after which the share of the pixels that a patch covers is halved."""


Abandonment = Callable[[int], dict[int, float]]


def progress_thresholds(queries: int) -> dict[int, float]:
    """After a fifth of the queries a row goes on if it has come two thirds of its way; after two fifths, four fifths.

    Progress is about logarithmic in the number of queries: of the rows that are fooled in the end, none that was
    measured had come less than nine tenths of the way then.
    """
    return {queries // 5: 0.5, 2 * queries // 5: 0.25}


def square(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    queries: int = 1000,
    share: float = 0.8,
    eot: int = 1,
    bounds: Bounds = None,
    target: Tensor | None = None,
    seed: int = 0,
) -> Result:
    """At most `queries` points for each row, each kept if it increases the margin; each query averages `eot` draws.

    `share` is the share of pixels in the first patches.
    """
    measure = read_norm(norm)
    with attack_context(model, x, y, target=target, bounds=bounds, eot=eot, seed=seed) as context:
        rows = context.unsolved_rows()
        attacked = context.x.clone()
        if len(rows):
            left = context.take(rows)
            proposals = make_proposals(measure, left.x, eps, left.generator)
            attacked[rows] = random_search(left, left.region(measure, eps), proposals, queries, share)
        return context.result(measure, attacked)


def random_search(
    context: AttackContext,
    region: FeasibleSet,
    proposals: Proposals,
    queries: int,
    share: float = 0.8,
    abandonment: Abandonment | None = None,
) -> Tensor:
    """The best point of each row. With `abandonment`, rows that have made too little progress also end."""
    result, rows = context.x.clone(), torch.arange(len(context.x), device=context.x.device)
    x, checks = region.project(proposals.start(context.x)), {} if abandonment is None else abandonment(queries)
    first, best = _margin(context, context.x), _margin(context, x)
    for query in range(1, queries):
        left = ~_finished(context, x, best, query)
        if query in checks:
            left &= -best <= checks[query] * (best - first)
        if not left.all():
            result[rows] = x
            rows, x, context, region = rows[left], take(x, left), context.take(left), region.take(left)
            first, best = first[left], best[left]
        if not len(rows):
            return result
        proposal = region.project(proposals.proposal(context.x, x, share * fraction_factor(query, queries)))
        better, value = _accept(context, x, best, proposal)
        x, best = select(better, proposal, x), torch.where(better, value, best)
    result[rows] = x
    return result


def _accept(context: AttackContext, x: Tensor, best: Tensor, proposal: Tensor) -> tuple[Tensor, Tensor]:
    """Is the proposal better, and by what margin? For a stochastic model it must win again on new draws."""
    value = _margin(context, proposal)
    better = value > best
    if context.predictor.stochastic and better.any():
        rival, again = context.take(better), take(proposal, better)
        value[better] = _margin(rival, again)
        better[better.clone()] = value[better] > _margin(rival, take(x, better))
    return better, value


def _margin(context: AttackContext, x: Tensor) -> Tensor:
    """Positive if and only if a query satisfies the criterion."""
    logits = context.predictor.query(x)
    value = margin(logits, context.criterion).nan_to_num()
    tiny = torch.finfo(value.dtype).tiny
    return torch.where(context.criterion.is_satisfied(logits), value.clamp_min(tiny), value.clamp(max=0.0))


def _finished(context: AttackContext, x: Tensor, best: Tensor, query: int) -> Tensor:
    """Which rows are done? For a stochastic model that takes many draws to see, and is only checked now and then."""
    done = best > 0.0
    if not context.predictor.stochastic:
        return done
    if query % 20 or not done.any():
        return torch.zeros_like(done)
    done[done.clone()] = context.predictor.is_significant(take(x, done), context.criterion.take(done))
    return done


def fraction_factor(query: int, queries: int) -> float:
    """2^−k after k halvings."""
    return 0.5 ** sum(query * 10000 // queries > at for at in HALVINGS)
