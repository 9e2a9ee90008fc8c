"""A network on data that it does not learn from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from pdedsl.data.sets import Split
from pdedsl.training.parallel import World

ROWS = 256


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Within, the model evaluates; afterwards every part is in the mode that it was in."""
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def assess(model: nn.Module, split: Split, world: World, dtype: torch.dtype) -> tuple[float, float]:
    """Mean cross-entropy and accuracy; each process takes a share of the samples."""
    share = world.share(len(split))
    sums = torch.zeros(2, dtype=torch.float64, device=world.device)
    with evaluating(model), torch.no_grad():
        for start in range(share.start, share.stop, ROWS):
            rows = torch.arange(start, min(start + ROWS, share.stop))
            x, y = split.batch(rows, world.device, dtype)
            scores = model(x)
            sums[0] += cross_entropy(scores, y, reduction="sum")
            sums[1] += (scores.argmax(-1) == y).sum()
    loss, right = (world.total(sums) / len(split)).tolist()
    return loss, right
