"""Signs of expressions and of symmetric matrices: proved by assumptions and minors, refuted by an example."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations

from mpmath import eigsy
from mpmath import matrix as mp_matrix
from sympy import Expr, Matrix, S, Symbol, cancel, factor_terms, together

from pdedsl.ir.symbols import Field

Rows = tuple[tuple[Expr, ...], ...]
SAMPLES = 400
MAX_MINORS = 3  # dimension up to which minors are tried symbolically


@dataclass(frozen=True)
class Sign:
    """True, False or None for 'is it nonnegative', with the point that shows a False."""

    nonnegative: bool | None
    witness: str = ""


def nonnegative(expr: Expr) -> bool | None:
    """The sign of an expression by what is known of its symbols; three truths."""
    if expr.is_nonnegative is not None:
        return expr.is_nonnegative  # type: ignore[no-any-return]
    simpler = cancel(together(expr)) if len(str(expr)) < 2000 else expr
    if simpler.is_nonnegative is not None:
        return simpler.is_nonnegative  # type: ignore[no-any-return]
    numerator, denominator = simpler.as_numer_denom()
    if denominator.is_positive and factor_terms(numerator).is_nonnegative:
        return True
    return None


def semidefinite(rows: Rows, free: frozenset[Symbol], psd_heads: frozenset[Symbol] = frozenset()) -> Sign:
    """Whether a symmetric matrix is positive semidefinite for all values of its symbols.

    `free` are the symbols that an example may choose: coordinates, time and the jet, but no learned field, whose
    sign is not ours to choose. Learned matrices of `psd_heads` are semidefinite by their type.
    """
    rest = _without_psd(rows, psd_heads)
    if all(e == 0 for row in rest for e in row):
        return Sign(True)
    if _is_diagonal(rest):
        signs = [nonnegative(rest[i][i]) for i in range(len(rest))]
        if all(signs):
            return Sign(True)
        if any(s is False for s in signs) and rest == rows and _surely_negative(rest):
            return Sign(False)
    elif len(rest) <= MAX_MINORS or _is_number(rest):
        if _minors_nonnegative(rest):
            return Sign(True)
    return _search(rest, free) if rest == rows else Sign(None)


def _surely_negative(rows: Rows) -> bool:
    return any(rows[i][i].is_negative for i in range(len(rows)))


def _without_psd(rows: Rows, heads: frozenset[Symbol]) -> Rows:
    """The matrix less c·H for every learned H that is semidefinite by type, where c is nonnegative."""
    for head in sorted(heads, key=str):
        entry = next((f for f in rows[0][0].atoms(Field) if f.head == head), None)
        if entry is None:
            continue
        factor = rows[0][0].coeff(entry)
        whole = tuple(
            tuple(factor * Field(head, tuple(sorted((S(i + 1), S(j + 1)))), tuple(entry.arguments)) for j in range(len(rows)))
            for i in range(len(rows))
        )
        rest = tuple(tuple((a - b).expand() for a, b in zip(r, w, strict=True)) for r, w in zip(rows, whole, strict=True))
        if nonnegative(factor) and not any(f.head == head for r in rest for e in r for f in e.atoms(Field)):
            rows = rest
    return rows


def _is_diagonal(rows: Rows) -> bool:
    return all(e == 0 for i, row in enumerate(rows) for j, e in enumerate(row) if i != j)


def _is_number(rows: Rows) -> bool:
    return all(e.is_number for row in rows for e in row)


def _minors_nonnegative(rows: Rows) -> bool:
    """All principal minors: exact for numbers, by assumptions for symbols."""
    if _is_number(rows):
        return bool(Matrix(rows).is_positive_semidefinite)
    matrix = Matrix(rows)
    sizes = range(1, len(rows) + 1)
    return all(
        nonnegative(matrix.extract(list(c), list(c)).det()) for n in sizes for c in combinations(range(len(rows)), n)
    )


def _search(rows: Rows, free: frozenset[Symbol]) -> Sign:
    """A point at which the matrix has a negative eigenvalue; unknown when there is none, or a learned field."""
    symbols = sorted({s for row in rows for e in row for s in e.free_symbols}, key=lambda s: s.name)
    if any(f for row in rows for e in row for f in e.atoms(Field)) or not set(symbols) <= free:
        return Sign(None)
    draw = random.Random(0)
    for k in range(SAMPLES if symbols else 1):
        spread = (0.1, 1, 3, 10)[k % 4]
        point = {s: draw.uniform(-spread, spread) for s in symbols}
        values = [[_real(e.subs(point)) for e in row] for row in rows]
        if any(v is None for row in values for v in row):
            continue
        least = min(eigsy(mp_matrix(values), eigvals_only=True))
        if least < -1e-9:
            shown = ", ".join(f"{s.name} = {v:.3g}" for s, v in point.items())
            return Sign(False, f"eigenvalue {float(least):.3g}" + (f" at {shown}" if shown else ""))
    return Sign(None)


def _real(value: Expr) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
