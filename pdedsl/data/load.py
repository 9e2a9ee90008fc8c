"""Loading of data sets: reading, check against the model, splits."""

from __future__ import annotations

import math
from pathlib import Path
from typing import assert_never

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.data import Cifar10, Cifar100, Digits, FashionMnist, Mnist, Moons, Npz, Stl10, Svhn
from pdedsl.config.data import Data as DataConfig
from pdedsl.data import bundled, images, user_arrays
from pdedsl.data.sample_shape import data_root, find_data_file
from pdedsl.data.splits import Data, RawDataSet, Split, channel_statistics, stratified_split, stratified_subset


def load(
    located: Located[DataConfig],
    root: Path | None,
    shape: tuple[int, ...] | None = None,
    classes: int | None = None,
) -> Data:
    """The data set of a spec. `shape` and `classes` are the model's; a set that does not fit them is an error.

    Images become points of R^(c·h·w) for a model on points. The seed of the data, not that of the training, decides
    which of the available samples are used for `train` and `test`, stratified by class, and which of the former
    `validation` sets aside: runs with several training seeds are paired.
    """
    seed = located.config.seed or 0
    raw = _fit_to_model(_read(located, data_root(root), seed, shape), located, shape, classes)
    train, validation = _split_validation(_part(raw.train, located.config.train, "train", seed, located), located, seed)
    test = _part(raw.test, located.config.test, "test", seed, located)
    mean, std = channel_statistics(train.inputs)
    raw_shape = raw.shape
    if shape is not None and shape != raw_shape:
        train, test, validation = train.flat(), test.flat(), validation and validation.flat()
        # A single pixel may hardly vary: the pixels of a channel share its mean and standard deviation.
        mean, std = (tuple(v for v in values for _ in range(math.prod(raw_shape[1:]))) for values in (mean, std))
    return Data(
        located.config.name,
        train,
        validation,
        test,
        raw.classes,
        shape or raw_shape,
        mean,
        std,
        raw.bounds,
        raw.class_names,
    )


def _read(located: Located[DataConfig], root: Path, seed: int, shape: tuple[int, ...] | None) -> RawDataSet:
    match located.config:
        case Moons(train=train, test=test, noise=noise):
            return bundled.moons(train, test, float(noise), seed)
        case Digits():
            return bundled.digits()
        case Npz(file=file):
            return user_arrays.read(find_data_file(file, root, located.span), located.span, shape)
        case Mnist() | FashionMnist() | Cifar10() | Cifar100() | Svhn() | Stl10():
            return images.read(located.config, root, located.span)
        case _:
            assert_never(located.config)


def _display_name(word: DataConfig) -> str:
    """Name of a data set in messages: a file by its file name."""
    return word.file if isinstance(word, Npz) else word.name


def _fit_to_model(
    raw: RawDataSet, located: Located[DataConfig], shape: tuple[int, ...] | None, classes: int | None
) -> RawDataSet:
    """The data set, if it fits the model; labels of a user's file may lack the last classes."""
    if shape is not None and shape not in (raw.shape, (math.prod(raw.shape),)):
        raise errors.runs.sample_shape_mismatch(_display_name(located.config), raw.shape, shape, located.span)
    if classes is None or classes == raw.classes:
        return raw
    if isinstance(located.config, Npz) and raw.classes < classes:
        return RawDataSet(raw.train, raw.test, classes, raw.bounds, tuple(map(str, range(classes))))
    raise errors.runs.class_count_mismatch(_display_name(located.config), raw.classes, classes, located.span)


def _part(split: Split, n: int | None, key: str, seed: int, located: Located[DataConfig]) -> Split:
    if n is None or n == len(split):
        return split
    if n > len(split):
        raise errors.runs.too_few_samples(_display_name(located.config), key, len(split), n, located.span)
    return stratified_subset(split, n, seed, f"subset {key}")


def _split_validation(train: Split, located: Located[DataConfig], seed: int) -> tuple[Split, Split | None]:
    fraction = float(located.config.validation)
    if fraction == 0:
        return train, None
    n = round(fraction * len(train))
    if not 0 < n < len(train):
        raise errors.runs.empty_split(fraction, len(train), n > 0, located.span)
    validation, rest = stratified_split(train, n, seed, "validation")
    return rest, validation
