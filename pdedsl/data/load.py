"""Wanted → Data: the set is read, fitted to the model, and parted."""

from __future__ import annotations

import math
import os
from pathlib import Path

from pdedsl import mistakes
from pdedsl.data import images, npz, offline
from pdedsl.data.sets import Data, Raw, Split
from pdedsl.data.statistics import moments
from pdedsl.data.subset import first, parted
from pdedsl.data.wanted import Wanted


def data_root(root: Path | None) -> Path:
    """The folder of the data: as given, else PDEDSL_DATA, else ~/.cache/pdedsl/data."""
    return root or Path(os.environ.get("PDEDSL_DATA") or Path.home() / ".cache" / "pdedsl" / "data")


def load(
    wanted: Wanted, root: Path | None, seed: int, shape: tuple[int, ...] | None = None, classes: int | None = None
) -> Data:
    """The data that a spec asks for. `shape` and `classes` are the model's; what does not fit them is an error.

    Images become points of R^(c·h·w) for a model on these. Parts that the seed decides: `train` and `test` samples of
    those that there are, stratified by class, and the share of the former that `validation` sets aside.
    """
    raw = _fitted(_read(wanted, data_root(root), seed, shape), wanted, shape, classes)
    train, validation = _set_aside(_part(raw.train, wanted.train, "train", seed, wanted), wanted, seed)
    test = _part(raw.test, wanted.test, "test", seed, wanted)
    mean, std = moments(train.inputs)
    found = raw.shape
    if shape is not None and shape != found:
        train, test, validation = train.flat(), test.flat(), validation and validation.flat()
        # A pixel of its own may hardly vary: those of a channel share its numbers.
        mean, std = (tuple(v for v in values for _ in range(math.prod(found[1:]))) for values in (mean, std))
    kept = shape or found
    return Data(wanted.name, train, validation, test, raw.classes, kept, mean, std, raw.bounds, raw.class_names)


def _read(wanted: Wanted, root: Path, seed: int, shape: tuple[int, ...] | None) -> Raw:
    match wanted.name:
        case "moons":
            return offline.moons(wanted.train or 500, wanted.test or 1000, wanted.noise, seed)
        case "digits":
            return offline.digits()
        case "npz":
            return npz.read(npz.find(wanted.file, root, wanted.span), wanted.span, shape)
        case name if name in images.SETS:
            return images.read(name, root, wanted.span)
        case name:
            raise ValueError(f"no data set {name!r}")


def _fitted(raw: Raw, wanted: Wanted, shape: tuple[int, ...] | None, classes: int | None) -> Raw:
    """The set, if the model can take it; labels of the user's own may leave out the last classes."""
    if shape is not None and shape not in (raw.shape, (math.prod(raw.shape),)):
        raise mistakes.data.shape_differs(wanted.shown, raw.shape, shape, wanted.span)
    if classes is None or classes == raw.classes:
        return raw
    if wanted.name == "npz" and raw.classes < classes:
        return Raw(raw.train, raw.test, classes, raw.bounds, tuple(map(str, range(classes))))
    raise mistakes.data.classes_differ(wanted.shown, raw.classes, classes, wanted.span)


def _part(split: Split, n: int | None, key: str, seed: int, wanted: Wanted) -> Split:
    if n is None or n == len(split):
        return split
    if n > len(split):
        raise mistakes.data.too_few_samples(wanted.shown, key, len(split), n, wanted.span)
    return first(split, n, seed, f"subset {key}")


def _set_aside(train: Split, wanted: Wanted, seed: int) -> tuple[Split, Split | None]:
    if wanted.validation == 0:
        return train, None
    n = round(wanted.validation * len(train))
    if not 0 < n < len(train):
        raise mistakes.data.nothing_left(wanted.validation, len(train), n > 0, wanted.span)
    validation, rest = parted(train, n, seed, "validation")
    return rest, validation
