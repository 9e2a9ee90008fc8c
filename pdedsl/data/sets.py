"""Data in memory: samples with their labels, split into training, validation and test."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Split:
    """Images (n, c, h, w) or points (n, d), and the class of each. Bytes stand for v/255, and stay bytes in memory."""

    inputs: Tensor
    labels: Tensor  # int64

    def __post_init__(self) -> None:
        if self.labels.shape != self.inputs.shape[:1]:
            raise ValueError(f"{tuple(self.labels.shape)} labels for inputs of shape {tuple(self.inputs.shape)}")

    def __len__(self) -> int:
        return len(self.labels)

    def batch(
        self,
        indices: Tensor | slice,
        device: torch.device | str = "cpu",
        dtype: torch.dtype = torch.float32,
    ) -> tuple[Tensor, Tensor]:
        """Copies of the chosen inputs, as real numbers, and of their labels; bytes are moved to the device as bytes."""
        view = isinstance(indices, slice)
        x, y = (values[indices].to(device, copy=view) for values in (self.inputs, self.labels))
        return (x.to(dtype).div_(255) if x.dtype == torch.uint8 else x.to(dtype)), y

    def at(self, indices: Tensor) -> Split:
        """The chosen samples as a new split."""
        return Split(self.inputs[indices], self.labels[indices])

    def flat(self) -> Split:
        """Images as points of R^(c·h·w)."""
        return Split(self.inputs.flatten(1), self.labels)


@dataclass(frozen=True)
class Raw:
    """A data set as read, before the spec selects from it."""

    train: Split
    test: Split
    classes: int
    bounds: tuple[float, float] | None
    class_names: tuple[str, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.train.inputs.shape[1:])


@dataclass(frozen=True)
class Data:
    """What a model is trained, tuned and judged with.

    `bounds` are the least and the greatest value that an input can have, (0, 1) for images, None if there are none;
    `mean` and `std` are of the training part, one number per channel of images or per coordinate of points.
    """

    name: str
    train: Split
    validation: Split | None
    test: Split
    classes: int
    shape: tuple[int, ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]
    bounds: tuple[float, float] | None
    class_names: tuple[str, ...]
