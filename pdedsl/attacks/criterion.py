"""Attack criterion (untargeted or targeted) and its losses.

Logits may be logits or log-probabilities, with any constant added: every loss here is a function of differences. A loss
is higher the closer the criterion is to being satisfied; all return one number per row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor


@final
@dataclass(frozen=True)
class Criterion:
    """Untargeted: any class but y; targeted: the class `target`."""

    y: Tensor
    target: Tensor | None = None

    def is_satisfied(self, logits: Tensor) -> Tensor:
        predicted = logits.argmax(1)
        return predicted != self.y if self.target is None else predicted == self.target

    def take(self, rows: Tensor | slice) -> Criterion:
        return Criterion(self.y[rows], None if self.target is None else self.target[rows])

    def with_target(self, target: Tensor) -> Criterion:
        return Criterion(self.y, target)


Loss = Callable[[Tensor, Criterion], Tensor]


def log_odds(logits: Tensor, criterion: Criterion) -> Tensor:
    """log((1 − p_y)/p_y) = log Σ_{i≠y} exp(zᵢ) − z_y, or with a target the negative of this at the target.

    With ℓ the cross-entropy this is log(e^ℓ − 1): it increases with ℓ, and its gradient is that of ℓ over 1 − p_y, in
    the same direction; but in floating point ∇ℓ is 0 as soon as p_y rounds to 1, and this gradient is not.
    """
    label = criterion.y if criterion.target is None else criterion.target
    odds = _without(logits, label).logsumexp(1) - _at(logits, label)
    return odds if criterion.target is None else -odds


def cross_entropy(logits: Tensor, criterion: Criterion) -> Tensor:
    """−log p_y = log(1 + odds), or log p_t; for averages over noise samples, where the size of a gradient matters."""
    odds = log_odds(logits, criterion)
    softplus = torch.nn.functional.softplus
    return softplus(odds) if criterion.target is None else -softplus(-odds)


def margin(logits: Tensor, criterion: Criterion) -> Tensor:
    """max_{i≠y} zᵢ − z_y, or z_t − max_{i≠t} zᵢ: positive for successes (Carlini, Wagner 2017, f₆)."""
    label = criterion.y if criterion.target is None else criterion.target
    ahead = _without(logits, label).amax(1) - _at(logits, label)
    return ahead if criterion.target is None else -ahead


def difference(logits: Tensor, criterion: Criterion) -> Tensor:
    """z_t − z_y; without a target, the margin."""
    return (
        margin(logits, criterion)
        if criterion.target is None
        else _at(logits, criterion.target) - _at(logits, criterion.y)
    )


def dlr(logits: Tensor, criterion: Criterion) -> Tensor:
    """Difference of logits ratio (Croce, Hein 2020, eqs. 6 and 7), with z sorted as π₁ ≥ π₂ ≥ …

        (max_{i≠y} zᵢ − z_y)/(π₁ − π₃),        (z_t − z_y)/(π₁ − ½(π₃ + π₄)) with a target.

    Two classes have no π₃, three no π₄: the only scale left is the difference itself, and the ratio would be ±1. There
    the loss is the difference, which has the same directions of ascent and the same order along a run.
    """
    ahead = difference(logits, criterion)
    needed = 3 if criterion.target is None else 4
    if logits.shape[1] < needed:
        return ahead
    top = logits.topk(needed, dim=1).values
    low = top[:, 2] if criterion.target is None else 0.5 * (top[:, 2] + top[:, 3])
    return ahead / (top[:, 0] - low).clamp_min(torch.finfo(logits.dtype).tiny)


def _at(logits: Tensor, label: Tensor) -> Tensor:
    return logits.gather(1, label[:, None])[:, 0]


def _without(logits: Tensor, label: Tensor) -> Tensor:
    return logits.scatter(1, label[:, None], float("-inf"))
