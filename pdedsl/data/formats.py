"""File formats of the public image sets: images (n, c, h, w) as bytes, and labels.

IDX (MNIST), SVHN and STL-10 are parsed here, with a check of the declared length. The batches of CIFAR are Python
pickles: torchvision loads them after verifying their MD5 sums.
"""

from __future__ import annotations

import gzip
import math
from enum import StrEnum
from pathlib import Path
from typing import Any, assert_never
from zlib import error as ZlibError  # noqa: N812

import numpy as np
from numpy.typing import NDArray

from pdedsl.config.data import Cifar10, Cifar100, FashionMnist, Mnist, PublicSet, Stl10, Svhn

Array = NDArray[Any]
Arrays = tuple[Array, Array]


class Part(StrEnum):
    """Training or test split."""

    TRAIN = "train"
    TEST = "test"


class CorruptFile(Exception):
    """A corrupt data file."""


def find_file(path: Path) -> Path | None:
    """The file or its gzip-compressed form, None if there is neither."""
    return next((p for p in (path, path.with_name(path.name + ".gz")) if p.is_file()), None)


def read_part(word: PublicSet, kind: str, part: Part, root: Path) -> Arrays:
    """The training or test split of the torchvision data set `kind`."""
    match word:
        case Mnist() | FashionMnist():
            images, labels = _mnist(part, root / kind / "raw")
        case Svhn():
            images, labels = _svhn(root / f"{part}_32x32.mat")
        case Stl10():
            images, labels = _stl10(part, root / "stl10_binary")
        case Cifar10() | Cifar100():
            images, labels = _cifar(kind, part, root)
        case _:
            assert_never(word)
    if len(images) != len(labels) or not len(images):
        raise CorruptFile(f"{len(images)} images and {len(labels)} labels for {part}")
    return np.ascontiguousarray(images), labels.astype(np.int64)


def _mnist(part: Part, folder: Path) -> Arrays:
    stem = "train" if part is Part.TRAIN else "t10k"
    return read_idx(folder / f"{stem}-images-idx3-ubyte", 3)[:, None], read_idx(folder / f"{stem}-labels-idx1-ubyte", 1)


def read_idx(path: Path, dimensions: int) -> Array:
    """An array of bytes in the IDX format: 0, 0, 8, the number of dimensions, each size in 4 bytes, big-endian."""
    file = find_file(path)
    assert file is not None
    try:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    except (EOFError, gzip.BadGzipFile, ZlibError):
        raise CorruptFile(f"{file.name} cannot be decompressed") from None
    head = 4 + 4 * dimensions
    if len(data) < head or data[:4] != bytes((0, 0, 8, dimensions)):
        raise CorruptFile(f"{file.name} is not an IDX file with {dimensions} dimensions")
    sizes = [int.from_bytes(data[k : k + 4]) for k in range(4, head, 4)]
    if len(data) != head + math.prod(sizes):
        raise CorruptFile(f"{file.name} should have {head + math.prod(sizes)} bytes and has {len(data)}")
    return np.frombuffer(bytearray(data), np.uint8, offset=head).reshape(sizes)


def _svhn(path: Path) -> Arrays:
    """X (32, 32, 3, n) and y (n, 1), in which 10 stands for the digit 0."""
    from scipy.io import loadmat

    try:
        content = loadmat(path)
        images, labels = content["X"], content["y"].flatten()
    except Exception:  # scipy's reader does not document which errors a broken file raises
        raise CorruptFile(f"{path.name} is not a valid MATLAB file") from None
    if images.dtype != np.uint8 or images.ndim != 4:
        raise CorruptFile(f"{path.name} contains X of shape {images.shape} and type {images.dtype}")
    return images.transpose(3, 2, 0, 1), labels % 10


def _stl10(part: Part, folder: Path) -> Arrays:
    """Images of 96 x 96 pixels, column by column, one channel after the other; classes from 1."""
    pixels, labels = (np.fromfile(folder / f"{part}_{what}.bin", np.uint8) for what in "Xy")
    if len(pixels) != len(labels) * 3 * 96 * 96:
        raise CorruptFile(f"{part}_X.bin should have {len(labels) * 3 * 96 * 96} bytes and has {len(pixels)}")
    return pixels.reshape(-1, 3, 96, 96).transpose(0, 1, 3, 2), labels - 1


def _cifar(kind: str, part: Part, root: Path) -> Arrays:
    dataset = _torchvision(kind, part, root)
    return dataset.data.transpose(0, 3, 1, 2), np.array(dataset.targets)


def cifar_names(kind: str, root: Path) -> tuple[str, ...]:
    """The class names, from the metadata file of the data set."""
    return tuple(_torchvision(kind, Part.TEST, root).classes)


def _torchvision(kind: str, part: Part, root: Path) -> Any:
    from torchvision import datasets

    try:
        return getattr(datasets, kind)(root, train=part is Part.TRAIN, download=False)
    except RuntimeError:
        raise CorruptFile("MD5 checksum mismatch") from None
