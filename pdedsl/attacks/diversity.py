"""Input diversity (Xie et al., CVPR 2019): an image is resized and padded at random before the gradient is taken."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional


def diverse(probability: float, generator: torch.Generator, smallest: float = 0.9) -> Callable[[Tensor], Tensor]:
    """T(x): with `probability`, resized to a side in [0.9, 1] of its own, then padded with 0 at random to its old size.

    Inputs that are not images of shape (n, channels, height, width) cannot be resized: T is the identity.
    """

    def draw(low: int, high: int) -> int:
        """Uniform in low, …, high."""
        return int(torch.randint(low, high + 1, (), generator=generator, device=generator.device))

    def transform(x: Tensor) -> Tensor:
        chance = torch.rand((), generator=generator, device=generator.device).item()
        if x.dim() != 4 or chance >= probability:
            return x
        height, width = x.shape[-2:]
        h = draw(min(math.ceil(smallest * height), height - 1), height)
        w = max(1, round(width * h / height))
        top, left = draw(0, height - h), draw(0, width - w)
        resized = functional.interpolate(x, size=(h, w), mode="nearest")
        return functional.pad(resized, (left, width - w - left, top, height - h - top))

    return transform
