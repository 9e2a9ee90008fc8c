"""Sample shape of a data set, read from file headers only; determines the dimension d of `space x in R^d`."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import IO, assert_never
from zipfile import BadZipFile, ZipFile

from pdedsl import errors
from pdedsl.config.base import Located
from pdedsl.config.data import Cifar10, Cifar100, Data, Digits, FashionMnist, Mnist, Moons, Npz, Stl10, Svhn
from pdedsl.diagnostics import PdeError, Span
from pdedsl.ir.spec import Spec

Shape = tuple[int, ...]
SPLIT_ARRAYS = ("x_train", "y_train", "x_test", "y_test")
ARRAY_NAMES = {
    "x": ("x", "data", "image", "input", "feature", "sample", "point"),
    "y": ("y", "label", "target", "class", "output"),
}
MAX_HEADER = 10_000  # bytes; the limit of numpy
_SHAPE = re.compile(rb"'shape': (\([\d, ]*\))")


def data_root(root: Path | None) -> Path:
    """The folder of the data: `root` if given, else $PDEDSL_DATA, else ~/.cache/pdedsl/data."""
    return root or Path(os.environ.get("PDEDSL_DATA") or Path.home() / ".cache" / "pdedsl" / "data")


def with_data_dimension(spec: Spec, root: Path | None) -> Spec:
    """The spec, with the dimension of its data in place of an open d of R^d, if it names data."""
    if isinstance(spec.space.dimension, int) or spec.train is None or spec.train.data is None:
        return spec
    dimension = prod(_shape(spec.train.data, root))
    return replace(spec, space=replace(spec.space, dimension=dimension, dimension_from_data=True))


def _shape(data: Located[Data], root: Path | None) -> Shape:
    match data.config:
        case Moons():
            return (2,)
        case Digits():
            return 1, 8, 8
        case Mnist() | FashionMnist():
            return 1, 28, 28
        case Cifar10() | Cifar100() | Svhn():
            return 3, 32, 32
        case Stl10():
            return 3, 96, 96
        case Npz(file=file):
            return _of_file(file, data, data_root(root))
        case _:
            assert_never(data.config)


def _of_file(name: str, data: Located[Data], root: Path) -> Shape:
    path = find_data_file(name, root, data.span)
    try:
        with ZipFile(path) as archive:
            entry = next((n for n in ("x_train.npy", "x.npy") if n in archive.namelist()), None)
            if entry is None:
                raise other_arrays(path, data.span)
            with archive.open(entry) as file:
                return _of_header(file)
    except (OSError, BadZipFile, ValueError, SyntaxError, EOFError, NotImplementedError):
        raise errors.runs.unknown_data_dimension(path.name, data.span) from None


def find_data_file(name: str, root: Path, span: Span) -> Path:
    """The file, in the data folder or else relative to the working directory."""
    places = [root / name, Path(name)]
    for path in places:
        if path.is_file():
            return path
    raise errors.runs.data_file_not_found(name, list(dict.fromkeys(str(p.absolute()) for p in places)), span)


def other_arrays(path: Path, span: Span) -> PdeError:
    """The error for a file with unexpected array names."""
    with ZipFile(path) as archive:
        names = sorted(name.removesuffix(".npy") for name in archive.namelist())
    return errors.runs.unexpected_arrays(
        path.name, names, f"{', '.join(SPLIT_ARRAYS)}, or x, y", span, _guess_arrays(names)
    )


def _guess_arrays(names: list[str]) -> dict[str, str]:
    """Guess which arrays are x and y, in a file of two or four arrays."""
    wanted = SPLIT_ARRAYS if len(names) == len(SPLIT_ARRAYS) else ("x", "y")
    lines: dict[str, str] = {}
    for want in wanted:
        kind, _, half = want.partition("_")
        fits = [n for n in names if half in n.lower() and n.lower().startswith(ARRAY_NAMES[kind])]
        fits += [n for n in names if half in n.lower() and any(w in n.lower() for w in ARRAY_NAMES[kind][1:])]
        if fits:
            lines[want] = fits[0]
    return lines if len(set(lines.values())) == len(wanted) == len(names) else {}


def _of_header(file: IO[bytes]) -> Shape:
    """The shape in the header of an array, without the number of samples (numpy.lib.format)."""
    match = _SHAPE.search(file.read(MAX_HEADER))
    shape = ast.literal_eval(match[1].decode()) if match else ()
    if len(shape) < 2:
        raise ValueError("not an array of samples")
    return tuple(shape[1:])
