"""Signs of expressions and of symmetric matrices: proved by assumptions, ranges and minors, refuted by an example."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

from mpmath import eigsy
from mpmath import matrix as mp_matrix
from sympy import Add, Dummy, Expr, Matrix, S, Symbol, cancel, cos, factor, factor_terms, sin, tanh, together

from pdedsl.analyse.samples import SMALL, Point, Ranges, exact_at, nonzero_point, points, value_at
from pdedsl.symbolic.symbols import Field

Rows = tuple[tuple[Expr, ...], ...]
MAX_MINORS = 3  # dimension up to which minors are tried symbolically
MAX_TERMS = 30  # of a sum that is brought to one denominator
MAX_SQUARE = 6  # terms of a sum that may be a square


@dataclass(frozen=True)
class Sign:
    """True, False or None for 'is it nonnegative', with the point that shows a False."""

    nonnegative: bool | None
    witness: str = ""


# ---- expressions


def vanishes(expr: Expr) -> bool:
    """Whether a sum of products is zero, as far as cancelling shows."""
    terms = len(Add.make_args(expr))
    return expr == 0 or (1 < terms <= MAX_TERMS and cancel(together(expr)) == 0)


def is_zero(expr: Expr, ranges: Ranges) -> bool | None:
    """Zero everywhere, or not zero at some point in range; three truths."""
    if vanishes(expr):
        return True
    return None if nonzero_point(expr, ranges) is None else False


def nonnegative(expr: Expr) -> bool | None:
    """The sign of an expression by what is known of its symbols; three truths."""
    if expr.is_nonnegative is not None:
        return expr.is_nonnegative  # type: ignore[no-any-return]
    if _is_bounded_below_by_zero(expr):
        return True
    simpler = cancel(together(expr)) if len(Add.make_args(expr)) <= MAX_TERMS else expr
    if simpler.is_Add and len(simpler.args) <= MAX_SQUARE:
        simpler = factor(simpler)  # f² - 2fg + g² is a square
    if simpler.is_nonnegative is not None:
        return simpler.is_nonnegative  # type: ignore[no-any-return]
    numerator, denominator = simpler.as_numer_denom()
    # where the denominator vanishes the equation has no value, and nothing is asked
    if denominator.is_nonnegative and _is_bounded_below_by_zero(factor_terms(numerator)):
        return True
    return None


def _is_bounded_below_by_zero(expr: Expr) -> bool:
    low = _lower_bound(expr)
    return low is not None and bool(low.is_nonnegative)


def _lower_bound(expr: Expr) -> Expr | None:
    """A lower bound by the ranges of what stands in a sum; None where there is none to see."""
    if expr.is_number:
        return expr if expr.is_real else None
    if expr.is_Add:
        bounds = [_lower_bound(a) for a in expr.args]
        return None if None in bounds else Add(*bounds)
    coefficient, rest = expr.as_coeff_Mul()
    if isinstance(rest, (sin, cos, tanh)):
        return -abs(coefficient)
    return S.Zero if expr.is_nonnegative else None


# ---- matrices


def semidefinite(rows: Rows, free: frozenset[Symbol], psd_heads: frozenset[Symbol], ranges: Ranges) -> Sign:
    """Whether a symmetric matrix is positive semidefinite for all values of its symbols in range.

    `free` are the symbols that an example may choose: coordinates, time and the jet, but no learned field, whose
    sign is not ours to choose. Learned matrices of `psd_heads` are semidefinite by their type.
    """
    rows = _with_symmetric_entries(rows, psd_heads)
    rest = _without_psd(rows, psd_heads)
    if any(_is_semidefinite(_shifted(rest, shift)) for shift in _shifts(rest, ranges)):
        return Sign(True)
    if rest != rows:
        return Sign(None)
    if any(row[i].xreplace(shift).is_negative for shift in _shifts(rows, ranges) for i, row in enumerate(rows)):
        return Sign(False)
    return _search(rows, free, ranges)


def _shifts(rows: Rows, ranges: Ranges) -> list[dict[Symbol, Expr]]:
    """A variable between a and b is a + s, and b - s, with s ≥ 0."""
    used = [s for s in ranges if any(e.has(s) for row in rows for e in row)]
    if not used:
        return [{}]
    up = {s: ranges[s][0] + Dummy(s.name, nonnegative=True) for s in used}
    down = {s: ranges[s][1] - Dummy(s.name, nonnegative=True) for s in used}
    return [up, down]


def _shifted(rows: Rows, shift: dict[Symbol, Expr]) -> Rows:
    return tuple(tuple(e.xreplace(shift) for e in row) for row in rows) if shift else rows


def _is_semidefinite(rows: Rows) -> bool:
    """By the signs on the diagonal, or by all principal minors: exact for numbers, by assumptions for symbols."""
    d = len(rows)
    if all(rows[i][j] == 0 for i in range(d) for j in range(d) if i != j):
        return all(nonnegative(rows[i][i]) for i in range(d))
    if all(e.is_number for row in rows for e in row):
        return bool(Matrix(rows).is_positive_semidefinite)
    if d > MAX_MINORS:
        return False
    matrix = Matrix(rows)
    chosen = (list(c) for n in range(1, d + 1) for c in combinations(range(d), n))
    return all(nonnegative(matrix.extract(c, c).det()) for c in chosen)


def _with_symmetric_entries(rows: Rows, heads: frozenset[Symbol]) -> Rows:
    """A_ji as A_ij, for matrices that are symmetric by type."""

    def ordered(e: Expr) -> Expr:
        fields = (f for f in e.atoms(Field) if f.head in heads)
        return e.xreplace({f: _entry(f.head, f, *f.indices) for f in fields})

    return tuple(tuple(map(ordered, row)) for row in rows) if heads else rows


def _entry(head: Symbol, like: Field, i: Expr, j: Expr) -> Field:
    return Field(head, tuple(sorted((i, j), key=int)), tuple(like.arguments))


def _without_psd(rows: Rows, heads: frozenset[Symbol]) -> Rows:
    """The matrix less c·H for every learned H that is semidefinite by type, where c is nonnegative."""
    for head in sorted(heads, key=str):
        entry = next((f for f in rows[0][0].atoms(Field) if f.head == head), None)
        if entry is None:
            continue
        share = rows[0][0].coeff(entry)
        less = tuple(
            tuple((e - share * _entry(head, entry, S(i), S(j))).expand() for j, e in enumerate(row, 1))
            for i, row in enumerate(rows, 1)
        )
        if nonnegative(share) and not any(f.head == head for row in less for e in row for f in e.atoms(Field)):
            rows = less
    return rows


def _search(rows: Rows, free: frozenset[Symbol], ranges: Ranges) -> Sign:
    """A point at which the matrix has a negative eigenvalue; unknown when there is none, or a learned field."""
    symbols = {s for row in rows for e in row for s in e.free_symbols}
    if any(e.has(Field) for row in rows for e in row) or not symbols <= free:
        return Sign(None)
    for point in points(symbols, ranges):
        if _least_eigenvalue(rows, point, value_at) and (least := _least_eigenvalue(rows, point, exact_at)):
            shown = ", ".join(f"{s.name} = {float(v):.3g}" for s, v in point.items())
            return Sign(False, f"eigenvalue {least:.3g}" + (f" at {shown}" if shown else ""))
    return Sign(None)


def _least_eigenvalue(rows: Rows, point: Point, evaluate: Callable[[Expr, Point], float | None]) -> float | None:
    """The least eigenvalue at a point if it is surely negative."""
    d = len(rows)
    upper = {(i, j): evaluate(rows[i][j], point) for i in range(d) for j in range(i, d)}
    values = [v for v in upper.values() if v is not None]
    if len(values) < len(upper):
        return None
    numbers = mp_matrix([[upper[min(i, j), max(i, j)] for j in range(d)] for i in range(d)])
    least = float(min(eigsy(numbers, eigvals_only=True)))
    return least if least < -SMALL * max(1.0, *map(abs, values)) else None
