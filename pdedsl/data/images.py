"""The public image sets, in torchvision's file layout; missing ones are downloaded.

A file named after the set, such as `cifar10.npz`, is used if the set's own files are not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from pdedsl import errors
from pdedsl.config.data import Cifar10, Cifar100, FashionMnist, Mnist, PublicSet, Stl10, Svhn
from pdedsl.data import user_arrays
from pdedsl.data.download import download
from pdedsl.data.formats import CorruptFile, Part, cifar_names, find_file, read_part
from pdedsl.data.sample_shape import SPLIT_ARRAYS
from pdedsl.data.splits import RawDataSet, Split
from pdedsl.diagnostics import Span


@dataclass(frozen=True)
class ImageSet:
    """A public image set: torchvision class, files in the data folder, image shape, class names, source."""

    kind: str
    files: tuple[str, ...]
    shape: tuple[int, int, int]
    names: tuple[str, ...]
    site: str

    def present(self, root: Path) -> bool:
        return all(find_file(root / file) is not None for file in self.files)


def _mnist(kind: str, names: tuple[str, ...], site: str) -> ImageSet:
    parts = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    return ImageSet(kind, tuple(f"{kind}/raw/{part}-ubyte" for part in parts), (1, 28, 28), names, site)


def _cifar(classes: int, folder: str, parts: tuple[str, ...], names: tuple[str, ...]) -> ImageSet:
    site = f"https://www.cs.toronto.edu/~kriz/cifar-{classes}-python.tar.gz"
    return ImageSet(f"CIFAR{classes}", tuple(f"{folder}/{part}" for part in parts), (3, 32, 32), names, site)


DIGITS = tuple("0123456789")
CLOTHES = ("T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot")
CIFAR = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
STL = ("airplane", "bird", "car", "cat", "deer", "dog", "horse", "monkey", "ship", "truck")
HUNDRED = tuple(map(str, range(100)))  # replaced by the names in the metadata file
BATCHES = (*(f"data_batch_{k}" for k in range(1, 6)), "test_batch", "batches.meta")
SVHN_FILES = ("train_32x32.mat", "test_32x32.mat")
STL_FILES = tuple(f"stl10_binary/{part}_{what}.bin" for part in ("train", "test") for what in "Xy")
SETS: dict[type[PublicSet], ImageSet] = {
    Mnist: _mnist("MNIST", DIGITS, "https://ossci-datasets.s3.amazonaws.com/mnist/"),
    FashionMnist: _mnist("FashionMNIST", CLOTHES, "https://github.com/zalandoresearch/fashion-mnist"),
    Cifar10: _cifar(10, "cifar-10-batches-py", BATCHES, CIFAR),
    Cifar100: _cifar(100, "cifar-100-python", ("train", "test", "meta"), HUNDRED),
    Svhn: ImageSet("SVHN", SVHN_FILES, (3, 32, 32), DIGITS, "http://ufldl.stanford.edu/housenumbers/"),
    Stl10: ImageSet("STL10", STL_FILES, (3, 96, 96), STL, "https://cs.stanford.edu/~acoates/stl10/"),
}


def read(word: PublicSet, root: Path, span: Span) -> RawDataSet:
    """A public data set by its keyword."""
    chosen, name = SETS[type(word)], word.name
    if not chosen.present(root):
        instead = root / f"{name}.npz"
        if instead.is_file():
            return _from_npz(chosen, instead, span)
        _get(name, chosen, root, span)
    try:
        train, test = (_split(word, part, root) for part in Part)
        names = cifar_names(chosen.kind, root) if isinstance(word, Cifar100) else chosen.names
    except CorruptFile as error:
        raise errors.runs.corrupt_files(name, root, error, span) from None
    return RawDataSet(train, test, len(names), (0.0, 1.0), names)


def _get(name: str, chosen: ImageSet, root: Path, span: Span) -> None:
    problem = download(chosen.kind, chosen.files, root, chosen.present)
    if problem:
        raise errors.runs.download_failed(name, root, problem, chosen.site, chosen.files, SPLIT_ARRAYS, span)


def _split(word: PublicSet, part: Part, root: Path) -> Split:
    chosen = SETS[type(word)]
    images, labels = read_part(word, chosen.kind, part, root)
    if images.shape[1:] != chosen.shape:
        raise CorruptFile(f"images of shape {images.shape[1:]} instead of {chosen.shape}")
    if labels.min() < 0 or labels.max() >= len(chosen.names):
        raise CorruptFile(f"labels from {labels.min()} to {labels.max()}")
    return Split(torch.from_numpy(images), torch.from_numpy(labels))


def _from_npz(chosen: ImageSet, path: Path, span: Span) -> RawDataSet:
    raw = user_arrays.read(path, span, chosen.shape)
    if raw.shape != chosen.shape or raw.classes > len(chosen.names):
        expected = (len(chosen.names), chosen.shape)
        raise errors.runs.other_data_set(path, raw.classes, raw.shape, expected, span)
    return RawDataSet(raw.train, raw.test, len(chosen.names), raw.bounds, chosen.names)
