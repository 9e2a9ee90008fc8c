"""Image sets written in the format of each."""

from __future__ import annotations

import gzip
import hashlib
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pdedsl.config.base import Located
from pdedsl.config.data import DATA
from pdedsl.data.images import SETS as BY_WORD
from pdedsl.data.load import load
from pdedsl.data.splits import Data
from pdedsl.diagnostics import PdeError, Span

Array = Any


SPAN = Span(2, 7)


SETS = {config.keyword: chosen for config, chosen in BY_WORD.items()}


EVERY = sorted(SETS)


def pictures(n: int, shape: tuple[int, ...], seed: int) -> Array:
    return np.random.default_rng(seed).integers(0, 256, (n, *shape), dtype=np.uint8)


def read(name: str, root: Path) -> Data:
    return load(Located(DATA[name].create({}), span=SPAN), root)


def refused(code: str, name: str, root: Path) -> str:
    with pytest.raises(PdeError) as caught:
        read(name, root)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span) == (code, SPAN)
    return f"{found.message} | {found.hint}"


# ---- writers of each format


def idx(array: Array) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + bytes(array.astype(np.uint8))


def write_mnist(root: Path, parts: dict[str, tuple[Array, Array]], kind: str = "MNIST", packed: bool = False) -> None:
    folder = root / kind / "raw"
    folder.mkdir(parents=True)
    for stem, (images, labels) in zip(("train", "t10k"), parts.values(), strict=True):
        for name, array in ((f"{stem}-images-idx3-ubyte", images[:, 0]), (f"{stem}-labels-idx1-ubyte", labels)):
            content = idx(array)
            path = folder / (f"{name}.gz" if packed else name)
            path.write_bytes(gzip.compress(content) if packed else content)


def write_svhn(root: Path, parts: dict[str, tuple[Array, Array]]) -> None:
    from scipy.io import savemat

    for part, (images, labels) in parts.items():
        ten = np.where(labels == 0, 10, labels).astype(np.uint8)[:, None]
        savemat(root / f"{part}_32x32.mat", {"X": images.transpose(2, 3, 1, 0), "y": ten}, do_compression=True)


def write_stl10(root: Path, parts: dict[str, tuple[Array, Array]]) -> None:
    folder = root / "stl10_binary"
    folder.mkdir()
    for part, (images, labels) in parts.items():
        images.transpose(0, 1, 3, 2).tofile(folder / f"{part}_X.bin")
        (labels + 1).astype(np.uint8).tofile(folder / f"{part}_y.bin")


def write_pickle(path: Path, content: object) -> list[str]:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(pickle.dumps(content, protocol=2))
    return [path.name, hashlib.md5(path.read_bytes()).hexdigest()]


def write_cifar10(root: Path, parts: dict[str, tuple[Array, Array]], patch: pytest.MonkeyPatch) -> None:
    """Batches of the published form; the sums that torchvision checks are made to be theirs."""
    from torchvision.datasets import CIFAR10

    def batch(name: str, images: Array, labels: Array) -> list[str]:
        return write_pickle(
            root / "cifar-10-batches-py" / name, {"data": images.reshape(-1, 3072), "labels": labels.tolist()}
        )

    images, labels = (np.array_split(a, 5) for a in parts["train"])
    train = [batch(f"data_batch_{k + 1}", images[k], labels[k]) for k in range(5)]
    names, md5 = write_pickle(root / "cifar-10-batches-py" / "batches.meta", {"label_names": list("abcdefghij")})
    patch.setattr(CIFAR10, "train_list", train)
    patch.setattr(CIFAR10, "test_list", [batch("test_batch", *parts["test"])])
    patch.setattr(CIFAR10, "meta", {"filename": names, "key": "label_names", "md5": md5})


def write_cifar100(root: Path, parts: dict[str, tuple[Array, Array]], patch: pytest.MonkeyPatch) -> None:
    from torchvision.datasets import CIFAR100

    folder = root / "cifar-100-python"
    for part, (images, labels) in parts.items():
        content = {"data": images.reshape(-1, 3072), "fine_labels": labels.tolist(), "coarse_labels": [0] * len(labels)}
        patch.setattr(CIFAR100, f"{part}_list", [write_pickle(folder / part, content)])
    name, md5 = write_pickle(folder / "meta", {"fine_label_names": [f"kind {k}" for k in range(100)]})
    patch.setattr(CIFAR100, "meta", {"filename": name, "key": "fine_label_names", "md5": md5})


def write(name: str, root: Path, patch: pytest.MonkeyPatch) -> dict[str, tuple[Array, Array]]:
    """A small set: 20 images for training and 10 for test."""
    shape, classes = SETS[name].shape, len(SETS[name].names)
    parts = {
        part: (pictures(n, shape, n), np.arange(n) * (classes // 10) % classes)
        for part, n in (("train", 20), ("test", 10))
    }
    match name:
        case "mnist" | "fashion_mnist":
            write_mnist(root, parts, SETS[name].kind)
        case "svhn":
            write_svhn(root, parts)
        case "stl10":
            write_stl10(root, parts)
        case "cifar10":
            write_cifar10(root, parts, patch)
        case "cifar100":
            write_cifar100(root, parts, patch)
    return parts
