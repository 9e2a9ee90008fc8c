"""A network's loss and accuracy on data that it does not learn from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from pdedsl.data.sets import Split
from pdedsl.distributed import World
from pdedsl.runtime.ode.solver_control import adaptive_blocks, count_evaluations
from pdedsl.runtime.rng import single_call

ROWS = 256


class Figures(NamedTuple):
    """Mean cross-entropy; accuracy; and, if there are adaptive solvers, the mean number of evaluations of their fields
    that a sample takes part in on its way through the network."""

    loss: float
    accuracy: float
    evaluations: float | None


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Within, the model is in evaluation mode; afterwards every part is in its previous mode."""
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def assess(model: nn.Module, split: Split, world: World, dtype: torch.dtype) -> Figures:
    """The figures of a network; each process evaluates a share of the samples."""
    share, blocks = world.share(len(split)), adaptive_blocks(model)
    sums = torch.zeros(3, dtype=torch.float64, device=world.device)
    with evaluating(model), torch.no_grad(), single_call(model) as begin:
        for start in range(share.start, share.stop, ROWS):
            begin(start)
            rows = torch.arange(start, min(start + ROWS, share.stop))
            x, y = split.batch(rows, world.device, dtype)
            scores = model(x)
            sums[0] += cross_entropy(scores, y, reduction="sum")
            sums[1] += (scores.argmax(-1) == y).sum()
            sums[2] += count_evaluations(blocks)
    loss, right, costs = (world.total(sums) / len(split)).tolist()
    return Figures(loss, right, costs if blocks else None)
