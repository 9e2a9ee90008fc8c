"""Data sets in memory: training, validation and test splits, stratified subsets, channel statistics."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import torch
from torch import Tensor

from pdedsl.runtime.rng import generator

# ---- Data sets


@dataclass(frozen=True)
class Split:
    """Images (n, c, h, w) or points (n, d) with labels (n,). Bytes v represent v/255 and are converted per batch."""

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
        """Copies of the chosen inputs, as floating point, and labels; bytes are converted on the device."""
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
class RawDataSet:
    """A data set as read, before selection of subsets."""

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
    """Training, validation and test split of a data set.

    `bounds` are the bounds of valid inputs, (0, 1) for images, None if there are none; `mean` and `std` are those of
    the training split, per channel of images or coordinate of points.
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


# ---- Stratified subsets


def stratified_order(labels: Tensor, seed: int, purpose: str) -> Tensor:
    """Random permutation every prefix of which is stratified by class, up to rounding.

    Systematic sampling within each class: its k-th sample is placed at (k + U)/n, with U uniform on [0, 1) and n its
    size. Every prefix of the order is contained in every longer one.
    """
    source = generator(torch.device("cpu"), seed, crc32(purpose.encode()))
    shuffled = torch.randperm(len(labels), generator=source)
    grouped = shuffled[labels[shuffled].argsort(stable=True)]
    own, sizes = labels[grouped], torch.bincount(labels)
    starts = torch.rand(len(sizes), dtype=torch.float64, generator=source)
    rank = torch.arange(len(labels)) - (sizes.cumsum(0) - sizes)[own]
    return grouped[((rank + starts[own]) / sizes[own]).argsort(stable=True)]


def stratified_subset(split: Split, n: int, seed: int, purpose: str) -> Split:
    """Stratified subset of n samples, in the original order."""
    return split.at(stratified_order(split.labels, seed, purpose)[:n].sort().values)


def stratified_split(split: Split, n: int, seed: int, purpose: str) -> tuple[Split, Split]:
    """Stratified split into n samples and the remaining ones."""
    order = stratified_order(split.labels, seed, purpose)
    return split.at(order[:n].sort().values), split.at(order[n:].sort().values)


# ---- Channel statistics, independent of the machine and the number of threads


def channel_statistics(inputs: Tensor) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and standard deviation (population, 1/n) of each channel; 1 for a constant channel."""
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
    # The rounded mean of a constant channel may differ from its value.
    return float(np.mean(values)), float(np.std(values)) if low < high else 0.0
