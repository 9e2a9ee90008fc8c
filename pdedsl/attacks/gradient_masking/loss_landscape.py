"""Loss landscape around samples, along the gradient and along a random direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.constraints import read_box
from pdedsl.attacks.criterion import log_odds
from pdedsl.attacks.gradient_masking.attack_runs import AuditRuns

MAX_SAMPLES = 16
"""Maximal number of samples."""
STEPS_IN_QUARTERS = range(-4, 9)
"""Step sizes in units of ε/4: from −ε to 2ε."""

Lines = tuple[tuple[float, ...], ...]


@final
@dataclass(frozen=True)
class Landscape:
    """`along[i][k]`: the loss of sample i at x + sizes[k]·v, clipped to the box, with v the steepest step at x of norm
    1; `across`: the same with a random v. The loss is log((1 − p)/p) for the probability p of the class of the sample:
    negative if p > ½. With useful gradients, `along` is smooth and increasing."""

    sizes: tuple[float, ...]
    along: Lines
    across: Lines


def loss_landscape(e: AuditRuns) -> Landscape:
    rows = torch.arange(0, e.n, -(-e.n // MAX_SAMPLES), device=e.x.device)
    x, criterion = e.x[rows], e.criterion.take(rows)
    generator = torch.Generator(x.device).manual_seed(e.seed)
    steepest = e.norm.steepest(e.predictor.loss_gradient(x, criterion, log_odds).gradient)
    random = e.norm.steepest(torch.empty_like(x).normal_(generator=generator))
    sizes = [0.25 * e.eps * k for k in STEPS_IN_QUARTERS]

    def lines(v: Tensor) -> Lines:
        ends = read_box(e.bounds).ends(x)
        points = (torch.add(x, v, alpha=size).clamp(*ends) for size in sizes)
        losses = torch.stack([log_odds(e.predictor.predict(point), criterion) for point in points], 1)
        return tuple(map(tuple, losses.double().tolist()))

    return Landscape(tuple(sizes), lines(steepest), lines(random))
