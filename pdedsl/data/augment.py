"""Random changes of the training images, with separate random numbers for each row of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import torch
from torch import Tensor
from torch.nn.functional import pad

from pdedsl.config.training import Augmentation, Crop, Flip, Gaussian
from pdedsl.data.sampling import Draws


def augment(x: Tensor, words: Sequence[Augmentation], draws: Draws) -> Tensor:
    """The batch with every change applied in order; float images (n, c, h, w), or points for Gaussian."""
    for place, word in enumerate(words):
        if x.dim() != 4 and not isinstance(word, Gaussian):
            raise ValueError(f"{word.name} needs images (n, c, h, w), found {tuple(x.shape)}")
        x = _changed(x, word, draws, f"augment {place}")
    return x


def _changed(x: Tensor, word: Augmentation, draws: Draws, purpose: str) -> Tensor:
    match word:
        case Crop(pad=width):
            row, column = _whole(draws, x, purpose, 2 * width + 1, each=2).unbind(1)
            return crop(x, width, row, column)
        case Flip():
            return flip(x, _whole(draws, x, purpose, 2).squeeze(1) == 1)
        case Gaussian(std=std):
            return x + float(std) * draws.like(x, purpose)
        case _:
            assert_never(word)


def crop(x: Tensor, width: int, row: Tensor, column: Tensor) -> Tensor:
    """Image i of the batch cropped at (row[i], column[i]) of its zero-padded self, by a gather from all windows."""
    _, _, h, w = x.shape
    windows = pad(x, [width] * 4).unfold(2, h, 1).unfold(3, w, 1)
    return windows[torch.arange(len(x), device=x.device), :, row, column]


def flip(x: Tensor, chosen: Tensor) -> Tensor:
    """The batch with the chosen images mirrored."""
    return torch.where(chosen[:, None, None, None], x.flip(-1), x)


def _whole(draws: Draws, x: Tensor, purpose: str, choices: int, each: int = 1) -> Tensor:
    """Integers in [0, choices), (n, each); drawn in float32, so that they are the same in every precision."""
    uniform = draws.numbers(torch.empty(len(x), device=x.device, dtype=torch.float32), purpose, each=each)
    return (uniform * choices).long().clamp_(max=choices - 1)
