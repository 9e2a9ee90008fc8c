"""Magnitudes of weights: how many hardly matter (Wang, Yuan, Shi, Osher 2020, section 7)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from pdedsl.config.blocks import WeightHistogram
from pdedsl.evaluation.report import Weights

DECADES = (-8.0, 2.0)
BINS = 40


def weights_of(modules: Sequence[nn.Module], word: WeightHistogram) -> Weights:
    """|w| of every parameter; values below 10⁻⁸ go to the first bin, values above 100 to the last."""
    sizes = torch.cat([p.detach().double().abs().flatten() for module in modules for p in module.parameters()])
    logs = sizes.clamp(10.0 ** DECADES[0], 10.0 ** DECADES[1]).log10()
    counts = torch.histc(logs.cpu(), BINS, *DECADES).long().tolist()
    edges = torch.linspace(*DECADES, BINS + 1, dtype=torch.float64).tolist()
    below = float(word.below)
    return Weights(sizes.numel(), below, int((sizes < below).sum()), tuple(edges), tuple(counts))
