"""User data: arrays `x_train, y_train, x_test, y_test`, or `x, y`, in a file of numpy's savez.

Nothing in the file is unpickled. Inputs are bytes (v stands for v/255) or real numbers: points (n, d), or images
(n, h, w), (n, c, h, w) or (n, h, w, c). Labels are integers, beginning at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812

import numpy as np
import torch
from numpy.typing import NDArray

from pdedsl import errors
from pdedsl.data.sample_shape import SPLIT_ARRAYS, other_arrays
from pdedsl.data.splits import RawDataSet, Split, stratified_split
from pdedsl.diagnostics import Span

Array = NDArray[Any]
_SPLIT_SEED = 0  # the split of `x, y` does not depend on the seed of a run
TEST_FRACTION = 0.2  # of a file without a split, as is common
MAX_CLASSES = 100_000  # a larger label is most likely not a class
MAX_MAGNITUDE = 1e30  # leaves room for sums in single precision, whose largest number is 3.4e38
MAX_UNPACKED, MAX_RATIO = 1 << 30, 20  # decompressed bytes of any array; compression ratio beyond that size


def read(path: Path, span: Span, shape: tuple[int, ...] | None = None) -> RawDataSet:
    """The checked content of a file; `shape`, of the model's inputs, distinguishes (n, h, w, c) from (n, c, h, w)."""
    splits = arrays(path, span, (*SPLIT_ARRAYS, "x", "y"))
    if set(SPLIT_ARRAYS) <= splits.keys():
        train, test = (_split(splits, f"x_{part}", f"y_{part}", span, shape) for part in ("train", "test"))
        _require_same_type(train, test, span)
    elif {"x", "y"} <= splits.keys():
        whole = _split(splits, "x", "y", span, shape)
        if len(whole) < 2:
            raise errors.runs.single_sample(span)
        n = min(max(1, round(TEST_FRACTION * len(whole))), len(whole) - 1)
        test, train = stratified_split(whole, n, _SPLIT_SEED, "npz test")
    else:
        raise other_arrays(path, span)
    if min(train.labels.min(), test.labels.min()) == 1:
        raise errors.runs.labels_from_one(path.name, int(max(train.labels.max(), test.labels.max())), span)
    classes = int(max(train.labels.max(), test.labels.max())) + 1
    return RawDataSet(train, test, classes, _bounds(train, test), tuple(map(str, range(classes))))


def arrays(path: Path, span: Span, names: Sequence[str]) -> dict[str, Array]:
    """The arrays of a file with these names."""
    unreadable = errors.runs.not_npz(path.name, span)
    with open(path, "rb") as file:
        try:
            loaded = np.load(file, allow_pickle=False)
        except (OSError, ValueError, BadZipFile, EOFError):
            raise unreadable from None
        if isinstance(loaded, np.ndarray):
            raise unreadable
        return {name: _array(loaded, name, path, span) for name in loaded.files if name in names}


def _array(loaded: Any, name: str, path: Path, span: Span) -> Array:
    try:
        _within_bounds(loaded.zip, name, path, span)
        array = loaded[name]
    except (ValueError, KeyError, OSError, BadZipFile, EOFError, ZlibError, MemoryError, NotImplementedError):
        array = None
    if isinstance(array, np.ndarray):  # numpy returns anything that is not an array as bytes
        return array
    raise errors.runs.unreadable_array(name, path.name, span)


def _within_bounds(archive: ZipFile, name: str, path: Path, span: Span) -> None:
    """Check the declared size of an array, and that a small file does not decompress to a huge one."""
    names = archive.namelist()
    entry = archive.getinfo(f"{name}.npy" if f"{name}.npy" in names else name)
    if entry.file_size > max(MAX_UNPACKED, MAX_RATIO * path.stat().st_size):
        raise errors.runs.array_too_large(name, path.name, entry.file_size, span)
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(file)
    if prod(shape) * dtype.itemsize > entry.file_size:
        raise ValueError("the array is shorter than its header declares")


def _split(arrays: dict[str, Array], x: str, y: str, span: Span, shape: tuple[int, ...] | None) -> Split:
    inputs, labels = _inputs(arrays[x], x, span, shape), _labels(arrays[y], y, span)
    if len(inputs) != len(labels):
        raise errors.runs.sample_count_mismatch(x, len(inputs), y, len(labels), span)
    return Split(inputs, labels)


def _inputs(array: Array, name: str, span: Span, shape: tuple[int, ...] | None) -> torch.Tensor:
    if array.ndim not in (2, 3, 4) or 0 in array.shape:
        raise errors.runs.invalid_sample_shape(name, array.shape, span)
    real = np.issubdtype(array.dtype, np.floating)
    if array.dtype != np.uint8 and not real:
        raise errors.runs.invalid_dtype(name, array.dtype, span)
    if real and not np.isfinite(array).all():
        invalid = int(np.argwhere(~np.isfinite(array))[0][0])
        raise errors.runs.not_finite(name, invalid, span)
    if real and float(np.abs(array).max()) > MAX_MAGNITUDE:
        raise errors.runs.values_too_large(name, MAX_MAGNITUDE, span)
    if array.ndim == 3:
        array = array[:, None]
    if array.ndim == 4 and _channels_last(array.shape[1:], shape):
        array = array.transpose(0, 3, 1, 2)
    wide = np.uint8 if array.dtype == np.uint8 else np.float64 if array.dtype.itemsize >= 8 else np.float32
    return torch.from_numpy(np.array(array, dtype=wide, order="C"))


def _channels_last(shape: tuple[int, ...], wanted: tuple[int, ...] | None) -> bool:
    """Whether channels come last: if the last size is 1 or 3 and the first is not, unless the model's shape decides."""
    h, w, c = shape
    if wanted is not None and len(wanted) == 3 and wanted in (shape, (c, h, w)):
        return wanted != shape
    return c in (1, 3) and h not in (1, 3)


def _labels(array: Array, name: str, span: Span) -> torch.Tensor:
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise errors.runs.invalid_labels(name, array.shape, array.dtype, span)
    if len(array) and (array.min() < 0 or array.max() >= MAX_CLASSES):
        invalid = array.min() if array.min() < 0 else array.max()
        raise errors.runs.label_out_of_range(name, invalid, MAX_CLASSES - 1, span)
    return torch.from_numpy(array.astype(np.int64))


def _require_same_type(train: Split, test: Split, span: Span) -> None:
    a, b = (
        f"{'bytes' if s.inputs.dtype == torch.uint8 else 'real numbers'} {tuple(s.inputs.shape[1:])}"
        for s in (train, test)
    )
    if a != b:
        raise errors.runs.train_test_mismatch(a, b, span)


def _bounds(train: Split, test: Split) -> tuple[float, float] | None:
    """(0, 1) for bytes and for floating-point images with values in [0, 1]; else None."""
    inputs = (train.inputs, test.inputs)
    if train.inputs.dtype == torch.uint8:
        return 0.0, 1.0
    inside = all(x.dim() == 4 and bool(x.min() >= 0) and bool(x.max() <= 1) for x in inputs)
    return (0.0, 1.0) if inside else None
