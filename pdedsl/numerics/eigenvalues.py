"""Eigenvalues of symmetric matrices without numpy: Householder's tridiagonal form T = QᵀAQ, and the number of
eigenvalues below a shift σ, that of the negative pivots of T - σI (Sturm; Golub, Van Loan, sections 8.3 and 8.4)."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from operator import mul

from pdedsl.record import Record

SMALLEST_PIVOT = 1e-300  # in place of zero, far below rounding errors
BISECTIONS = 60  # of an interval of the size of the matrix: to double precision


class Tridiagonal(Record):
    """A symmetric tridiagonal matrix, by its diagonal and the entries beside it."""

    diagonal: tuple[float, ...]
    beside: tuple[float, ...]

    def count_below(self, shift: float) -> int:
        """The number of eigenvalues below the shift."""
        count, pivot = 0, 1.0
        for d, e in zip(self.diagonal, (0.0, *self.beside), strict=True):
            pivot = d - shift - e * e / pivot
            pivot = pivot or SMALLEST_PIVOT
            count += pivot < 0
        return count

    @property
    def smallest(self) -> float:
        """The smallest eigenvalue, by bisection of the interval of Gershgorin's discs."""
        around = [abs(a) + abs(b) for a, b in zip((0.0, *self.beside), (*self.beside, 0.0), strict=True)]
        low = min(d - r for d, r in zip(self.diagonal, around, strict=True))
        high = min(self.diagonal)  # a Rayleigh quotient
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (low, middle) if self.count_below(middle) else (middle, high)
        return high


def tridiagonal_form(matrix: Sequence[Sequence[float]]) -> Tridiagonal:
    """The tridiagonal matrix with the eigenvalues of a symmetric one."""
    a = [list(row) for row in matrix]
    diagonal, beside = [], []
    while len(a) > 1:
        first, *rows = a
        diagonal.append(first[0])
        v, inner = first[1:], [row[1:] for row in rows]
        size = hypot(*v)
        beside.append(-size if v[0] > 0 else size)
        v[0] -= beside[-1]
        square = sum(map(mul, v, v))
        if square:  # A - v wᵀ - w vᵀ is the reflection (I - 2vvᵀ/‖v‖²) of A on both sides
            p = [2 / square * sum(map(mul, row, v)) for row in inner]
            shift = sum(map(mul, p, v)) / square
            w = [x - shift * y for x, y in zip(p, v, strict=True)]
            inner = [
                [x - vi * wj - wi * vj for x, wj, vj in zip(row, w, v, strict=True)]
                for row, vi, wi in zip(inner, v, w, strict=True)
            ]
        a = inner
    return Tridiagonal((*diagonal, *(row[0] for row in a)), tuple(beside))
