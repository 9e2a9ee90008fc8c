"""Mean and standard deviation of each channel, the same on every machine and for every number of threads."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def moments(inputs: Tensor) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation (over n, not n - 1) of each channel; 1 for a channel that does not vary."""
    pairs = [_of_bytes(c) if c.dtype == torch.uint8 else _of_reals(c) for c in inputs.unbind(1)]
    return tuple(mean for mean, _ in pairs), tuple(std if std > 0 else 1.0 for _, std in pairs)


def _of_bytes(channel: Tensor) -> tuple[float, float]:
    """From the histogram: the sums are integers, hence exact."""
    counts = torch.bincount(channel.flatten(), minlength=256).tolist()
    n = sum(counts)
    first = sum(v * k for v, k in enumerate(counts))
    second = sum(v * v * k for v, k in enumerate(counts))
    return first / n / 255, ((n * second - first * first) ** 0.5) / n / 255


def _of_reals(channel: Tensor) -> tuple[float, float]:
    values = channel.double().numpy()
    low, high = values.min(), values.max()
    # A constant channel may differ from its rounded mean; that is not variation.
    return float(np.mean(values)), float(np.std(values)) if low < high else 0.0
