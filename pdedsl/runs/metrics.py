"""Loss and accuracy of a classifier on a data split."""

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

BATCH_SIZE = 256


class ClassificationMetrics(NamedTuple):
    """Mean cross-entropy, accuracy and, with adaptive solvers, the mean number of function evaluations per sample."""

    loss: float
    accuracy: float
    evaluations: float | None


@contextmanager
def eval_mode(model: nn.Module) -> Iterator[None]:
    """Context manager: eval mode; afterwards the previous modes are restored."""
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def compute_metrics(model: nn.Module, split: Split, world: World, dtype: torch.dtype) -> ClassificationMetrics:
    """Metrics of a network on a split; each process evaluates a part of the samples."""
    local, blocks = world.local_slice(len(split)), adaptive_blocks(model)
    sums = torch.zeros(3, dtype=torch.float64, device=world.device)
    with eval_mode(model), torch.no_grad(), single_call(model) as begin:
        for start in range(local.start, local.stop, BATCH_SIZE):
            begin(start)
            rows = torch.arange(start, min(start + BATCH_SIZE, local.stop))
            x, y = split.batch(rows, world.device, dtype)
            logits = model(x)
            sums[0] += cross_entropy(logits, y, reduction="sum")
            sums[1] += (logits.argmax(-1) == y).sum()
            sums[2] += count_evaluations(blocks)
    loss, accuracy, costs = (world.all_reduce(sums) / len(split)).tolist()
    return ClassificationMetrics(loss, accuracy, costs if blocks else None)
