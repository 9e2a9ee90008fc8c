"""Data augmentation: random crops, flips and Gaussian noise, with random numbers keyed by sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import torch
from torch import Tensor
from torch.nn.functional import pad

from pdedsl.config.training import Augmentation, Crop, Flip, GaussianAugmentation
from pdedsl.data.sampling import KeyedRng


def augment(x: Tensor, augmentations: Sequence[Augmentation], rng: KeyedRng) -> Tensor:
    """Apply the augmentations in order to float images (n, c, h, w), or Gaussian noise to points (n, d)."""
    for place, augmentation in enumerate(augmentations):
        if x.dim() != 4 and not isinstance(augmentation, GaussianAugmentation):
            raise ValueError(f"{augmentation.name} needs images (n, c, h, w), got shape {tuple(x.shape)}")
        x = _apply(x, augmentation, rng, f"augment {place}")
    return x


def _apply(x: Tensor, augmentation: Augmentation, rng: KeyedRng, purpose: str) -> Tensor:
    match augmentation:
        case Crop(pad=width):
            row, column = _integers(rng, x, purpose, 2 * width + 1, each=2).unbind(1)
            return crop(x, width, row, column)
        case Flip():
            return flip(x, _integers(rng, x, purpose, 2).squeeze(1) == 1)
        case GaussianAugmentation(std=std):
            return x + float(std) * rng.like(x, purpose)
        case _:
            assert_never(augmentation)


def crop(x: Tensor, width: int, row: Tensor, column: Tensor) -> Tensor:
    """Crop the zero-padded image i at (row[i], column[i]), by a gather from all windows."""
    _, _, h, w = x.shape
    windows = pad(x, [width] * 4).unfold(2, h, 1).unfold(3, w, 1)
    return windows[torch.arange(len(x), device=x.device), :, row, column]


def flip(x: Tensor, chosen: Tensor) -> Tensor:
    """Flip the chosen images horizontally."""
    return torch.where(chosen[:, None, None, None], x.flip(-1), x)


def _integers(rng: KeyedRng, x: Tensor, purpose: str, choices: int, each: int = 1) -> Tensor:
    """Integers in [0, choices), (n, each); drawn in float32, so that they are the same in every precision."""
    uniform = rng.numbers(torch.empty(len(x), device=x.device, dtype=torch.float32), purpose, each=each)
    return (uniform * choices).long().clamp_(max=choices - 1)
