"""Subsets of a data set that preserve the proportions of its classes."""

from __future__ import annotations

from zlib import crc32

import torch
from torch import Tensor

from pdedsl.data.sets import Split
from pdedsl.runtime.streams import generator


def stratified(labels: Tensor, seed: int, purpose: str) -> Tensor:
    """A random order in which every prefix has the classes in their proportions, as nearly as integers allow.

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


def first(split: Split, n: int, seed: int, purpose: str) -> Split:
    """n samples, stratified, in their original order."""
    return split.at(stratified(split.labels, seed, purpose)[:n].sort().values)


def parted(split: Split, n: int, seed: int, purpose: str) -> tuple[Split, Split]:
    """n samples, stratified, and the rest."""
    order = stratified(split.labels, seed, purpose)
    return split.at(order[:n].sort().values), split.at(order[n:].sort().values)
