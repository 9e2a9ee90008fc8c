"""Histogram of weight magnitudes |w| and sparsity (Wang, Yuan, Shi, Osher 2020, section 7)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from pdedsl.config.blocks import WeightHistogram
from pdedsl.evaluation.report import WeightMagnitudes

LOG10_RANGE = (-8.0, 2.0)  # of |w|
BINS = 40


def weight_magnitudes(modules: Sequence[nn.Module], histogram: WeightHistogram) -> WeightMagnitudes:
    """|w| of every parameter; values below 10⁻⁸ go to the first bin, values above 100 to the last."""
    sizes = torch.cat([p.detach().double().abs().flatten() for module in modules for p in module.parameters()])
    logs = sizes.clamp(10.0 ** LOG10_RANGE[0], 10.0 ** LOG10_RANGE[1]).log10()
    counts = torch.histc(logs.cpu(), BINS, *LOG10_RANGE).long().tolist()
    edges = torch.linspace(*LOG10_RANGE, BINS + 1, dtype=torch.float64).tolist()
    below = float(histogram.below)
    return WeightMagnitudes(sizes.numel(), below, int((sizes < below).sum()), tuple(edges), tuple(counts))
