"""Values on a tensor grid from a file of numpy's savez, and their cubic spline interpolant (de Boor 1978, ch. IV).

The interpolant is C² and of order 4: not-a-knot at the ends, periodic along periodic axes, and a tensor product in
several dimensions. It is stored in Hermite form: value and derivative at each knot of each axis. Files are read without
numpy and without pickle.
"""

from __future__ import annotations

import re
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import pairwise, product
from math import inf, isfinite, prod
from pathlib import Path
from typing import ClassVar
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812

# ---- Files


MAX_ENTRIES = 1_000_000  # of an array: splines are computed in Python
TYPE_CODES = {
    "f8": "d",
    "f4": "f",
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
}
_HEADER = re.compile(rb"^\{'descr': '([^']*)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\),? *\}\s*$")


class InvalidArray(Exception):
    """An array that cannot be read, with the reason in a phrase."""


@dataclass(frozen=True)
class NpyArray:
    """An array of real numbers, in C order."""

    shape: tuple[int, ...]
    values: Sequence[float]


def array_names(path: Path) -> list[str]:
    try:
        with ZipFile(path) as archive:
            return sorted(name.removesuffix(".npy") for name in archive.namelist())
    except (OSError, BadZipFile):
        raise InvalidArray("the file is not a file of numpy's savez") from None


def read_array(path: Path, name: str) -> NpyArray:
    """The array of a file; raises InvalidArray."""
    try:
        with ZipFile(path) as archive, archive.open(f"{name}.npy") as file:
            magic = file.read(8)
            wide = 2 if magic[6:7] == b"\x01" else 4
            size = int.from_bytes(file.read(wide), "little")
            match = _HEADER.match(file.read(size)) if magic[:6] == b"\x93NUMPY" and size < 1 << 16 else None
            if match is None:
                raise InvalidArray("it is not an array of real numbers")
            shape = tuple(int(n) for n in match[3].replace(b",", b" ").split())
            if prod(shape) > MAX_ENTRIES:
                raise InvalidArray(f"it has more than {MAX_ENTRIES:,} entries")
            return _decode(match[1].decode(), match[2] == b"True", shape, file.read)
    except (OSError, KeyError, BadZipFile, EOFError, ZlibError, NotImplementedError, RuntimeError):
        raise InvalidArray("it cannot be read") from None


def _decode(descr: str, fortran: bool, shape: tuple[int, ...], read: Callable[[int], bytes]) -> NpyArray:
    code = TYPE_CODES.get(descr[1:])
    if code is None:
        raise InvalidArray(f"its type {descr} is not that of real numbers")
    numbers = array(code)
    data = read(prod(shape) * numbers.itemsize)
    if len(data) != prod(shape) * numbers.itemsize:
        raise InvalidArray("it is shorter than its header declares")
    numbers.frombytes(data)
    if descr[0] not in "|=" and (descr[0] == "<") != (sys.byteorder == "little"):
        numbers.byteswap()
    values = [float(v) for v in numbers]
    if fortran and len(shape) > 1:
        strides = [prod(shape[:k]) for k in range(len(shape))]
        values = [
            values[sum(i * s for i, s in zip(index, strides, strict=True))] for index in product(*map(range, shape))
        ]
    return NpyArray(shape, values)


def file_digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()[:16]


_PATHS: dict[str, Path] = {}  # files of this process by digest


def register_file(path: Path) -> str:
    """The digest of a file, by which its interpolants find it."""
    digest = file_digest(path)
    _PATHS[digest] = path.absolute()
    return digest


def find_file(file: str, digest: str) -> Path:
    """The file of a digest: as registered, or beside the working directory in a compiled program."""
    path = _PATHS.get(digest, Path(file))
    if not path.is_file() or file_digest(path) != digest:
        raise FileNotFoundError(f"{file} is missing, or is not the file that was compiled")
    return path


# ---- Splines


@dataclass(frozen=True)
class GridSource:
    """An array of a file on a tensor grid: the names of its axes, and the period of each, or None."""

    file: str
    digest: str
    name: str
    axes: tuple[str, ...]
    periods: tuple[float | None, ...]
    max_derivatives: ClassVar[int] = 2  # the third derivative of a cubic spline is discontinuous


@dataclass(frozen=True)
class GridSpline:
    """The interpolant of values on a tensor grid with these knots."""

    knots: tuple[tuple[float, ...], ...]
    periods: tuple[float | None, ...]
    values: Sequence[float]

    @cached_property
    def ends(self) -> tuple[tuple[float, ...], ...]:
        """The knots of each axis, with the first one again at the end of a period."""
        pairs = zip(self.knots, self.periods, strict=True)
        return tuple(x if period is None else (*x, x[0] + period) for x, period in pairs)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the Hermite table: knots, and value or derivative, for each axis."""
        return tuple(n for x in self.ends for n in (len(x), 2))

    @cached_property
    def table(self) -> list[float]:
        """Values and derivatives: an array of this shape, in C order."""
        table, before, after = list(self.values), 1, prod(map(len, self.knots))
        for x, period in zip(self.knots, self.periods, strict=True):
            after //= len(x)
            table = _with_slopes(table, before, x, period, after)
            before *= 2 * (len(x) + (period is not None))
        return table

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Bounds in one dimension, by the Bernstein coefficients of each piece; infinite in several."""
        if len(self.knots) > 1:
            return -inf, inf
        (x,), table, coefficients = self.ends, self.table, []
        for i, h in enumerate(b - a for a, b in pairwise(x)):
            value, slope, other, last = table[2 * i : 2 * i + 4]
            coefficients += [value, value + h * slope / 3, other - h * last / 3, other]
        return min(coefficients), max(coefficients)

    def __call__(self, point: Sequence[float], orders: Sequence[int]) -> float:
        """A derivative at a point."""
        corners = [self._weights(k, x, n) for k, (x, n) in enumerate(zip(point, orders, strict=True))]
        total = 0.0
        for combination in product(*corners):
            place, weight = 0, 1.0
            for x, (index, factor) in zip(self.ends, combination, strict=True):
                place, weight = place * 2 * len(x) + index, weight * factor
            total += weight * self.table[place]
        return total

    def _weights(self, axis: int, at: float, order: int) -> Iterator[tuple[int, float]]:
        """The rows of the table along an axis that matter at a coordinate, with their weights."""
        x, period = self.ends[axis], self.periods[axis]
        if period is not None:
            at = x[0] + (at - x[0]) % period
        i = min(max(bisect_right(x, at) - 1, 0), len(x) - 2)
        h = x[i + 1] - x[i]
        weights = hermite_weights((at - x[i]) / h, h, order)
        return zip(range(2 * i, 2 * i + 4), weights, strict=True)


def hermite_weights(t: float, h: float, order: int) -> tuple[float, float, float, float]:
    """The derivative of the cubic Hermite basis on an interval of length h, at the fraction t."""
    cubic = {
        0: (1 + t * t * (2 * t - 3), t * (1 - t) ** 2, t * t * (3 - 2 * t), t * t * (t - 1)),
        1: (6 * t * (t - 1), 1 + t * (3 * t - 4), 6 * t * (1 - t), t * (3 * t - 2)),
        2: (12 * t - 6, 6 * t - 4, 6 - 12 * t, 6 * t - 2),
    }[order]
    scale = h**-order
    return cubic[0] * scale, cubic[1] * h * scale, cubic[2] * scale, cubic[3] * h * scale


def _with_slopes(values: list[float], before: int, x: Sequence[float], period: float | None, after: int) -> list[float]:
    """The array (before, n, after) as (before, n, 2, after) with derivatives along the middle axis; n grows by one if
    it is periodic."""
    n, result = len(x), []
    for i in range(before):
        block = values[i * n * after : (i + 1) * n * after]
        lines = [block[k::after] for k in range(after)]
        derivatives = [knot_slopes(x, line, period) for line in lines]
        for j in range(n + (period is not None)):
            result += [line[j % n] for line in lines] + [s[j % n] for s in derivatives]
    return result


def knot_slopes(x: Sequence[float], f: Sequence[float], period: float | None = None) -> list[float]:
    """The derivatives of the cubic spline at its knots: tridiagonal equations for the continuity of f″."""
    n = len(x)
    if period is not None:
        return _periodic_slopes([*x, x[0] + period], [*f, f[0]])
    h = [b - a for a, b in pairwise(x)]
    d = [(b - a) / k for a, b, k in zip(f, f[1:], h, strict=False)]
    if n == 2:
        return [d[0], d[0]]
    if n == 3:  # a parabola
        curvature = (d[1] - d[0]) / (h[0] + h[1])
        return [d[0] - h[0] * curvature, d[0] + h[0] * curvature, d[1] + h[1] * curvature]
    lower, middle, upper, right = _interior(h, d)
    w, z = h[0] + h[1], h[-1] + h[-2]
    lower, upper = [0.0, *lower, z], [w, *upper, 0.0]
    middle = [h[1], *middle, h[-2]]
    first = ((h[0] + 2 * w) * h[1] * d[0] + h[0] ** 2 * d[1]) / w
    last = (h[-1] ** 2 * d[-2] + (2 * z + h[-1]) * h[-2] * d[-1]) / z
    return _solve_tridiagonal(lower, middle, upper, [first, *right, last])


def _interior(h: list[float], d: list[float]) -> tuple[list[float], list[float], list[float], list[float]]:
    """The equations at the inner knots."""
    pairs = list(zip(h, h[1:], d, d[1:], strict=False))
    lower, upper = [b for _, b, _, _ in pairs], [a for a, _, _, _ in pairs]
    return lower, [2 * (a + b) for a, b, _, _ in pairs], upper, [3 * (b * p + a * q) for a, b, p, q in pairs]


def _periodic_slopes(x: list[float], f: list[float]) -> list[float]:
    """A cyclic system, by the formula of Sherman and Morrison."""
    h = [b - a for a, b in pairwise(x)]
    d = [(b - a) / k for a, b, k in zip(f, f[1:], h, strict=False)]
    lower, middle, upper, right = _interior([h[-1], *h], [d[-1], *d])
    corner = -middle[0]
    first, last = lower[0], upper[-1]  # the entries in the corners
    middle[0] -= corner
    middle[-1] -= first * last / corner
    u = [corner, *[0.0] * (len(middle) - 2), last]
    y, z = _solve_tridiagonal(lower, middle, upper, right), _solve_tridiagonal(lower, middle, upper, u)
    factor = (y[0] + first * y[-1] / corner) / (1 + z[0] + first * z[-1] / corner)
    return [a - factor * b for a, b in zip(y, z, strict=True)]


def _solve_tridiagonal(lower: list[float], middle: list[float], upper: list[float], right: list[float]) -> list[float]:
    """Elimination without pivoting."""
    c, y = [upper[0] / middle[0]], [right[0] / middle[0]]
    for a, b, e, r in zip(lower[1:], middle[1:], upper[1:], right[1:], strict=True):
        pivot = b - a * c[-1]
        c.append(e / pivot)
        y.append((r - a * y[-1]) / pivot)
    for k in range(len(y) - 2, -1, -1):
        y[k] -= c[k] * y[k + 1]
    return y


# ---- Grids of a file


MIN_PERIODIC_POINTS = 4  # fewer do not determine a periodic cubic spline
END_RTOL = 1e-6  # of the length, by which coordinates may miss an end: single-precision rounding


@lru_cache(maxsize=32)
def load_spline(source: GridSource) -> GridSpline:
    """The interpolant of a checked file."""
    path = find_file(source.file, source.digest)
    return make_spline(path, source.name, source.axes, source.periods)


def make_spline(path: Path, name: str, axes: Sequence[str], periods: Sequence[float | None]) -> GridSpline:
    """The interpolant; raises InvalidArray with the name of the array and the reason."""
    array = read_finite_array(path, name)
    lines = [read_finite_array(path, axis) for axis in axes]
    for axis, line in zip(axes, lines, strict=True):
        if len(line.shape) != 1 or len(line.values) < 2 or any(b <= a for a, b in pairwise(line.values)):
            raise InvalidArray(f"'{axis}' must be one-dimensional and strictly increasing")
    if array.shape != tuple(len(line.values) for line in lines):
        sizes = " × ".join(str(len(line.values)) for line in lines)
        size = " × ".join(map(str, array.shape)) or "()"
        raise InvalidArray(f"'{name}' has the shape {size}, its grid {', '.join(axes)} has {sizes} points")
    knots, values, shape = [], array.values, list(array.shape)
    for k, (axis, line, period) in enumerate(zip(axes, lines, periods, strict=True)):
        x = list(line.values)
        if period is not None and abs(x[-1] - x[0] - period) <= END_RTOL * period:  # both ends of a period
            values = _without_last(values, shape, k)
            x.pop()
            shape[k] -= 1
        if period is not None and (len(x) < MIN_PERIODIC_POINTS or x[-1] - x[0] >= period):
            raise InvalidArray(f"'{axis}' must have at least {MIN_PERIODIC_POINTS} points of one period {period:g}")
        knots.append(tuple(x))
    return GridSpline(tuple(knots), tuple(periods), values)


def _without_last(values: Sequence[float], shape: Sequence[int], axis: int) -> list[float]:
    n, after = shape[axis], prod(shape[axis + 1 :])
    return [v for k, v in enumerate(values) if k // after % n < n - 1]


def read_finite_array(path: Path, name: str) -> NpyArray:
    """The array of a file; raises InvalidArray with its name."""
    try:
        array = read_array(path, name)
    except InvalidArray as reason:
        raise InvalidArray(f"the array '{name}': {reason}") from None
    invalid = next((k for k, v in enumerate(array.values) if not isfinite(v)), None)
    if invalid is not None:
        raise InvalidArray(f"'{name}' is not finite at entry {invalid}")
    return array
