"""The class of a stationary equation of second order, by the signs of the eigenvalues of its second-order coefficients.

One sign: elliptic; both signs: hyperbolic; otherwise, with a zero: parabolic; different classes at different points:
mixed (Evans, Partial Differential Equations, sections 6.1 and 7.2; Tricomi's y ∂²u/∂x² + ∂²u/∂y² = 0 is mixed).
"""

from __future__ import annotations

from collections.abc import Iterator

from mpmath import eigsy
from mpmath import matrix as mp_matrix
from sympy import Expr

from pdedsl.analyse.jets import Jet
from pdedsl.analyse.samples import SMALL, Point, is_inside, levels_of, points, ranges_of, value_at
from pdedsl.ir.analysis import EquationClass
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.symbols import Field

Rows = tuple[tuple[Expr, ...], ...]


def class_at_rest(jet: Jet, spec: Spec) -> EquationClass:
    """The class at sample points of the domain; a matrix with learned entries of unknown sign is assumed elliptic."""
    rows = _with_letters(jet.matrix)
    found = {_at(rows, point) for point in _points(rows, spec)} - {None}
    if len(found) > 1:
        return EquationClass.MIXED
    return next((kind for kind in found if kind is not None), EquationClass.ELLIPTIC)


def class_of_waves(jet: Jet, spec: Spec) -> EquationClass:
    """∂²u/∂t² = A:∇∇u is a wave equation for A ⪰ 0, elliptic in space-time for A ≺ 0, and otherwise mixed."""
    rows = _with_letters(jet.matrix)
    found = [signs for signs in (_signs(rows, point) for point in _points(rows, spec)) if signs]
    if not any(-1 in signs for signs in found):
        return EquationClass.WAVE
    return EquationClass.ELLIPTIC if all(signs == {-1} for signs in found) else EquationClass.MIXED


def _points(rows: Rows, spec: Spec) -> Iterator[Point]:
    """Sample points of the domain, for the symbols in the entries."""
    levels = levels_of(spec)
    symbols = {s for e in (*levels, *(e for row in rows for e in row)) for s in e.free_symbols}
    return (p for p in points(symbols, ranges_of(spec)) if is_inside(p, levels))


def _with_letters(rows: Rows) -> Rows:
    """The rows with positive symbols for positive learned fields."""
    fields = {f for row in rows for e in row for f in atoms(e, Field) if f.is_positive}
    letters = {f: f.head for f in fields}
    return tuple(tuple(e.xreplace(letters) for e in row) for row in rows)


def _at(rows: Rows, point: Point) -> EquationClass | None:
    signs = _signs(rows, point)
    if not signs:
        return None
    if signs in ({1}, {-1}):
        return EquationClass.ELLIPTIC
    return EquationClass.HYPERBOLIC if signs >= {1, -1} else EquationClass.PARABOLIC


def _signs(rows: Rows, point: Point) -> set[int]:
    """The signs of the eigenvalues; empty if an entry has no value."""
    positive = {s: abs(v) if s.is_positive else v for s, v in point.items()}
    values = [[value_at(e, positive) for e in row] for row in rows]
    if any(v is None for row in values for v in row):
        return set()
    size = max((abs(v) for row in values for v in row if v is not None), default=0.0)
    return {_sign(float(v), size) for v in eigsy(mp_matrix(values), eigvals_only=True)}


def _sign(value: float, size: float) -> int:
    return 0 if abs(value) <= SMALL * size else 1 if value > 0 else -1
