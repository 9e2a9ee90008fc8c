"""Square attack: score-based random search over localized square perturbations (Andriushchenko et al., ECCV 2020)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Unpack, assert_never, final

import torch
from torch import Tensor

from pdedsl.attacks.base import AttackContext, AttackOptions, Result, attack_context
from pdedsl.attacks.batch_ops import column, select, take
from pdedsl.attacks.constraints import FeasibleSet
from pdedsl.attacks.criterion import margin
from pdedsl.attacks.docstrings import attack_documentation
from pdedsl.attacks.norms import L2, Linf, Norm, NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model

# ---- ℓ2 proposals on images (Algorithm 3)


def bump(height: int, width: int) -> Tensor:
    """Σ_{k ≥ r} 1/(k + 1)² at ℓ∞ distance r from the centre."""
    rows = (torch.arange(height) - height // 2).abs()
    columns = (torch.arange(width) - width // 2).abs()
    distance = torch.maximum(rows[:, None], columns[None, :])
    terms = 1.0 / torch.arange(1, int(distance.max()) + 2, dtype=torch.float64).square()
    return terms.flip(0).cumsum(0).flip(0)[distance]


def bump_pair(side: int, transposed: bool) -> Tensor:
    """η: a bump in one half of the window and its negative in the other, of ℓ2 norm 1."""
    half = side // 2
    eta = torch.cat([bump(half, side), -bump(side - half, side)]) if half else bump(side, side)
    eta /= torch.linalg.vector_norm(eta)
    return eta.T.contiguous() if transposed else eta  # kron does not accept a transposed view


@final
@dataclass(frozen=True)
class L2ImageProposals:
    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        """Bumps on a 5 × 5 grid of tiles, with a random sign for each tile and channel."""
        n, channels, height, width = x.shape
        side = max(1, min(height, width) // 5)
        tiles = (height // side, width // side)
        sign = random_signs(x.new_empty(n, channels, *tiles), self.generator)
        pattern = torch.kron(sign, bump_pair(side, self._coin()).to(x))
        away = torch.zeros_like(x)
        away[..., : tiles[0] * side, : tiles[1] * side] = pattern
        return x + self.eps * L2().steepest(away)

    def proposal(self, x: Tensor, at: Tensor, fraction: float) -> Tensor:
        """Window W₁ gets the energy of both windows and the unused part of ε², of shape ρη + ν/‖ν‖; W₂ becomes 0."""
        side = self._side(fraction, *x.shape[-2:])
        away = at - x
        eta = bump_pair(side, self._coin()).to(x)
        (first, shape), (second, _) = self._place(x, eta), self._place(x, eta)
        unused = (self.eps**2 - away.flatten(1).square().sum(1)).clamp_min(0.0) / x.shape[1]
        mass = (away.square() * (first | second)).flatten(2).sum(2) + unused[:, None]
        old = away * first
        sign = random_signs(x.new_empty(x.shape[:2]), self.generator)
        new = shape * sign[..., None, None] + old / column(L2().length(old).clamp_min(torch.finfo(x.dtype).tiny), old)
        scale = mass.sqrt() / torch.linalg.vector_norm(new, dim=(2, 3)).clamp_min(torch.finfo(x.dtype).tiny)
        return x + torch.where(first, new * scale[..., None, None], away.masked_fill(second, 0.0))

    def _side(self, fraction: float, height: int, width: int) -> int:
        """Odd and at least 3."""
        side = max(3, round(math.sqrt(fraction * height * width)))
        return min(side + 1 - side % 2, *(extent - 1 + extent % 2 for extent in (height, width)))

    def _place(self, x: Tensor, eta: Tensor) -> tuple[Tensor, Tensor]:
        """A random window in each image: its mask and η in it, both of shape (n, 1, height, width)."""
        side = len(eta)
        mask, offsets = random_window(x, side, self.generator)
        index = [offset.clamp(0, side - 1) for offset in offsets]
        return mask, eta[index[0][:, :, None], index[1][:, None, :]][:, None] * mask

    def _coin(self) -> bool:
        return bool(torch.rand((), generator=self.generator, device=self.generator.device) < 0.5)


# ---- Proposals for ℓ∞, and analogues for vectors


class Proposals(Protocol):
    def start(self, x: Tensor) -> Tensor:
        """Initial points of the search."""
        ...

    def proposal(self, x: Tensor, at: Tensor, fraction: float) -> Tensor:
        """Modify about the fraction `fraction` of the entries of `at`; the caller projects the result."""
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
    """ℓ∞ on images: initial vertical stripes of ±ε, then squares of ±ε, with a sign for each channel (Algorithm 2)."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        n, channels, _, width = x.shape
        return x + self.eps * random_signs(x.new_empty(n, channels, 1, width), self.generator)

    def proposal(self, x: Tensor, at: Tensor, fraction: float) -> Tensor:
        n, channels, height, width = x.shape
        side = min(max(1, round(math.sqrt(fraction * height * width))), height, width)
        covered, _ = random_window(x, side, self.generator)
        return torch.where(covered, x + self.eps * random_signs(x.new_empty(n, channels, 1, 1), self.generator), at)


@final
@dataclass(frozen=True)
class LinfVectorProposals:
    """ℓ∞ on vectors: a random subset of the entries is set to ±ε."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        return x + self.eps * random_signs(torch.empty_like(x), self.generator)

    def proposal(self, x: Tensor, at: Tensor, fraction: float) -> Tensor:
        chance = torch.empty_like(x).uniform_(generator=self.generator).flatten(1)
        number = min(max(1, round(fraction * chance.shape[1])), chance.shape[1])
        covered = (chance >= chance.topk(number, dim=1).values[:, -1:]).reshape(x.shape)
        return torch.where(covered, x + self.eps * random_signs(torch.empty_like(x), self.generator), at)


@final
@dataclass(frozen=True)
class L2VectorProposals:
    """ℓ2 on vectors of norm ε: a step of relative length 2·`fraction` on the sphere, or a new direction (1 in 10)."""

    eps: float
    generator: torch.Generator

    def start(self, x: Tensor) -> Tensor:
        return x + self.eps * L2().steepest(torch.empty_like(x).normal_(generator=self.generator))

    def proposal(self, x: Tensor, at: Tensor, fraction: float) -> Tensor:
        noise = L2().steepest(torch.empty_like(x).normal_(generator=self.generator))
        new = torch.rand(len(x), generator=self.generator, device=x.device) < 0.1
        mixed = L2().steepest(L2().steepest(at - x) + 2.0 * fraction * noise)
        return x + self.eps * select(new, noise, mixed)


def random_signs(out: Tensor, generator: torch.Generator) -> Tensor:
    """Random signs ±1."""
    return out.bernoulli_(0.5, generator=generator).mul_(2.0).sub_(1.0)


def random_window(x: Tensor, side: int, generator: torch.Generator) -> tuple[Tensor, list[Tensor]]:
    """A random square in each image: its mask, (n, 1, height, width), and the offsets from its corner along both axes,
    (n, height) and (n, width)."""
    n, _, *extents = x.shape
    corners = [torch.randint(0, e - side + 1, (n, 1), generator=generator, device=x.device) for e in extents]
    offsets = [torch.arange(e, device=x.device) - corner for e, corner in zip(extents, corners, strict=True)]
    rows, columns = ((offset >= 0) & (offset < side) for offset in offsets)
    return (rows[:, :, None] & columns[:, None, :])[:, None], offsets


# ---- Random search


HALVINGS = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)
"""Of 10,000 queries, those after which the fraction of perturbed pixels is halved (as in the paper)."""


Abandonment = Callable[[int], dict[int, float]]


def progress_thresholds(queries: int) -> dict[int, float]:
    """Progress of the margin towards 0 required to continue: two thirds after a fifth of the queries, four fifths after
    two fifths.

    Progress is about logarithmic in the number of queries: of the rows that succeeded in the end, none that was
    measured had made less than nine tenths of its progress then.
    """
    return {queries // 5: 0.5, 2 * queries // 5: 0.25}


@attack_documentation(attack_context)
def square(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    queries: int = 1000,
    fraction: float = 0.8,
    **options: Unpack[AttackOptions],
) -> Result:
    """Square attack (Andriushchenko et al., ECCV 2020): score-based black-box random search that maximises the margin.

    Args:
        fraction: fraction of pixels in the first squares.

    Example:
        >>> result = attacks.square(model, x, y, eps=0.5, queries=20)
        >>> result.fooled.tolist()
        [True, False]
    """
    measure = read_norm(norm)
    with attack_context(model, x, y, **options) as context:
        rows = context.unsolved_rows()
        attacked = context.x.clone()
        if len(rows):
            left = context.take(rows)
            proposals = make_proposals(measure, left.x, eps, left.generator)
            attacked[rows] = random_search(left, left.region(measure, eps), proposals, queries, fraction)
        return context.result(measure, attacked)


def random_search(
    context: AttackContext,
    region: FeasibleSet,
    proposals: Proposals,
    queries: int,
    fraction: float = 0.8,
    abandonment: Abandonment | None = None,
    stop: bool = True,
) -> Tensor:
    """The best point of each row. With `stop`, rows that satisfy the criterion are removed; with `abandonment`, rows
    that have made too little progress."""
    result, rows = context.x.clone(), torch.arange(len(context.x), device=context.x.device)
    x, checks = region.project(proposals.start(context.x)), {} if abandonment is None else abandonment(queries)
    first, best = _margin(context, context.x), _margin(context, x)
    for query in range(1, queries):
        left = ~_find_successes(context, x, best, query) if stop else torch.ones_like(best, dtype=torch.bool)
        if query in checks:
            left &= -best <= checks[query] * (best - first)
        if not left.all():
            result[rows] = x
            rows, x, context, region = rows[left], take(x, left), context.take(left), region.take(left)
            first, best = first[left], best[left]
        if not len(rows):
            return result
        proposal = region.project(proposals.proposal(context.x, x, fraction * halving_factor(query, queries)))
        better, value = _accept(context, x, best, proposal)
        x, best = select(better, proposal, x), torch.where(better, value, best)
    result[rows] = x
    return result


def _accept(context: AttackContext, x: Tensor, best: Tensor, proposal: Tensor) -> tuple[Tensor, Tensor]:
    """Whether the proposal increases the margin, and its margin; for a stochastic model, on new noise samples."""
    value = _margin(context, proposal)
    better = value > best
    if context.predictor.stochastic and better.any():
        rival, again = context.take(better), take(proposal, better)
        value[better] = _margin(rival, again)
        better[better.clone()] = value[better] > _margin(rival, take(x, better))
    return better, value


def _margin(context: AttackContext, x: Tensor) -> Tensor:
    """The margin, positive if and only if a query satisfies the criterion."""
    logits = context.predictor.query(x)
    value = margin(logits, context.criterion).nan_to_num()
    tiny = torch.finfo(value.dtype).tiny
    return torch.where(context.criterion.is_satisfied(logits), value.clamp_min(tiny), value.clamp(max=0.0))


def _find_successes(context: AttackContext, x: Tensor, best: Tensor, query: int) -> Tensor:
    """Rows that satisfy the criterion; for a stochastic model, checked with many noise samples every 20 queries."""
    done = best > 0.0
    if not context.predictor.stochastic:
        return done
    if query % 20 or not done.any():
        return torch.zeros_like(done)
    done[done.clone()] = context.predictor.is_significant(take(x, done), context.criterion.take(done))
    return done


def halving_factor(query: int, queries: int) -> float:
    """2^−k after k halvings."""
    return 0.5 ** sum(query * 10000 // queries > at for at in HALVINGS)
