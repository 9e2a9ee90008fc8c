"""Degenerate ellipticity: F(x, t, u, p, X) is nondecreasing in X (Crandall, Ishii, Lions 1992, section 1).

∂F/∂X must be positive semidefinite for all values of the jet. This is proved in components if the space has explicit
coordinates, and otherwise by rules for diag(aᵢ) + Σ c w wᵀ; it is refuted by a point at which the equation is defined
and ∂F/∂X has a negative eigenvalue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache

from sympy import Add, Dummy, Expr, Rational, Symbol

from pdedsl.analysis.bounds.definiteness import Rows, blocks_of, indexed_semidefinite, semidefinite
from pdedsl.analysis.bounds.interval import LINE, Box
from pdedsl.analysis.bounds.sign import box_of, format_point, points_between_roots, positive
from pdedsl.analysis.drift_diffusion import NotLinear, indexed_matrix, second_order_terms
from pdedsl.analysis.jet import Jet, as_scalar, jet_of
from pdedsl.analysis.problem import Problem
from pdedsl.analysis.sample_points import (
    MAX_TERMS,
    ROUNDING_RTOL,
    Point,
    Ranges,
    are_defined_at,
    is_inside,
    level_functions,
    points,
    precise_value_at,
    ranges_of,
    search_points,
    value_at,
    with_unit_fields,
)
from pdedsl.ir.terms import Indexed
from pdedsl.ir.types import Matrix, Scalar
from pdedsl.numerics.eigenvalues import tridiagonal_form
from pdedsl.record import Record
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import Field, Partial, atoms

# ---- Search for a negative eigenvalue


def find_negative_eigenvalue(
    rows: Rows,
    parts: tuple[Expr, ...],
    free: frozenset[Symbol],
    ranges: Ranges,
    levels: tuple[Expr, ...] = (),
) -> str:
    """A negative eigenvalue and its location, as text; empty if none is found. The equation is defined where all of its
    `parts` are. `free` are the symbols that may be chosen, `levels` the functions that are positive in the domain."""
    expression = tuple(map(with_unit_fields, parts))
    symbols = {s for row in (*rows, levels, expression) for e in row for s in e.free_symbols}
    if any(e.has(Field) for row in rows for e in row) or not symbols <= free:
        return ""
    if any(len(Add.make_args(e)) > MAX_TERMS for e in expression):
        return ""
    about = Add(*{row[i] for i, row in enumerate(rows)}, *expression)
    for point in (*_between_roots(rows, symbols, ranges), *search_points(about, symbols, ranges)):
        if _negative_eigenvalue_at(rows, point, value_at, -ROUNDING_RTOL) is None:
            continue
        for place in (p for p in (_round_point(point, ranges), point) if is_inside(p, levels)):
            least = _negative_eigenvalue_at(rows, place, precise_value_at, ROUNDING_RTOL if len(rows) > 1 else 0)
            if least and are_defined_at(expression, place):
                reported = {s: v for s, v in place.items() if any(s in e.free_symbols for row in rows for e in row)}
                return f"eigenvalue {least:.3g}" + (f" at {format_point(reported, place is point)}" if reported else "")
    return ""


def _round_point(point: Point, ranges: Ranges) -> Point:
    """The point rounded as it is printed, if that is in range, so that the printed point is the one checked."""
    short = {s: Rational(f"{float(v):.3g}") for s, v in point.items()}
    inside = all(ranges[s][0] <= v <= ranges[s][1] for s, v in short.items() if s in ranges)
    return short if inside else point


def _between_roots(rows: Rows, symbols: set[Symbol], ranges: Ranges) -> Iterator[Point]:
    """Points at which diagonal entries that are polynomials in one variable take each of their signs."""
    box = box_of(ranges)
    for e in {row[i] for i, row in enumerate(rows) if len(row[i].free_symbols) == 1}:
        (x,) = e.free_symbols
        other = next(points(symbols - {x}, ranges))
        for place in points_between_roots(e, x, box.get(x, LINE)):
            if not x.is_nonnegative or place >= 0:
                yield {**other, x: place}


def _negative_eigenvalue_at(
    rows: Rows, point: Point, evaluate: Callable[[Expr, Point], float | None], margin: float
) -> float | None:
    """The smallest eigenvalue at a point, if it is below -margin · max(1, |entries|)."""
    entries = {e: evaluate(e, point) for e in {e for row in rows for e in row}}
    values = [v for v in entries.values() if v is not None]
    if len(values) < len(entries):
        return None
    blocks = blocks_of(rows)
    matrices = ([[entries[rows[i][j]] or 0.0 for j in block] for i in block] for block in blocks)
    least = min(tridiagonal_form(matrix).smallest for matrix in matrices)
    return least if least < -margin * max(1.0, *map(abs, values)) else None


# ---- Ellipticity


class Ellipticity(Record):
    """Whether ∂F/∂X is positive semidefinite (None: undecided), with a negative eigenvalue if it is not."""

    nonnegative: bool | None
    counterexample: str = ""


class DiffusionMatrix(Record):
    """±∂F/∂X of a problem."""

    problem: Problem
    sign: int = 1

    @property
    def jet(self) -> Jet:
        return self.problem.jet

    @cached_property
    def ranges(self) -> Ranges:
        return ranges_of(self.problem.spec, self.problem.equation)

    @cached_property
    def box(self) -> Box:
        return box_of(self.ranges)

    @cached_property
    def rows(self) -> Rows:
        return _times(self.sign, self.jet.matrix)

    @property
    def psd(self) -> frozenset[Symbol]:
        return frozenset(w.head for w in self.problem.spec.learned if isinstance(w.type, Matrix) and w.type.psd)

    @property
    def dimension(self) -> int | None:
        n = self.problem.spec.space.dimension
        return n if isinstance(n, int) else None

    @property
    def is_expanded(self) -> bool:
        return self.jet.layout.is_complete(self.problem.spec)

    @property
    def is_proved(self) -> bool:
        if self.is_expanded:
            return any(semidefinite(rows, self.box, self.psd) for rows in (self.rows, self._with_diagonals()))
        return self._by_index()

    def _with_diagonals(self) -> Rows:
        """The rows with nonnegative symbols for the diagonal entries of learned semidefinite matrices."""
        fields = {f for row in self.rows for e in row for f in atoms(e, Field) if f.head in self.psd}
        diagonal = sorted((f for f in fields if len(set(f.indices)) == 1), key=str)
        variables = {f: Dummy(f"d{k}", nonnegative=True) for k, f in enumerate(diagonal)}
        return tuple(tuple(e.xreplace(variables) for e in row) for row in self.rows)

    def _by_index(self) -> bool:
        spec, head = self.problem.spec, self.problem.unknown.head
        learned = frozenset(w.head for w in spec.learned if isinstance(w.type, Matrix))
        try:
            parts = list(second_order_terms(expand_products(self.sign * self.problem.rhs), head))
        except NotLinear:
            return False
        matrix = indexed_matrix(parts, spec.space.dimension, learned)
        return indexed_semidefinite(_with_signed_symbol(matrix, self.problem), self.psd, self.box, self.dimension)

    @cached_property
    def counterexample(self) -> str:
        """A negative eigenvalue, as text; for a symbolic dimension it must exist in dimensions 1, 2 and 3."""
        spec = self.problem.spec
        if self._is_negative_for_every_weight():
            return "eigenvalue for every weight"
        if self.is_expanded or self.dimension is not None:
            return self._search(self.jet)
        unknown, right = self.problem.unknown, as_scalar((self.problem.rhs,), self.problem.unknown)
        shown = [self._search(jet_of(right, unknown, spec, d)) for d in (1, 2)]
        return self._search(self.jet) if all(shown) else ""

    def _search(self, jet: Jet) -> str:
        times = (self.problem.spec.time.symbol,) if self.problem.spec.time else ()
        free = frozenset((*jet.coordinates, *jet.variables, *times))
        levels, expression = level_functions(self.problem.spec), (jet.expr, *self.problem.cancelled_in(jet))
        return find_negative_eigenvalue(_times(self.sign, jet.matrix), expression, free, self.ranges, levels)

    def _is_negative_for_every_weight(self) -> bool:
        """Whether a diagonal entry with learned fields is negative for all of their values."""
        return any(row[i].has(Field) and positive(-row[i], self.box) for i, row in enumerate(self.rows))


@lru_cache(maxsize=64)
def ellipticity(problem: Problem, sign: int = 1) -> Ellipticity:
    """Whether ±∂F/∂X is positive semidefinite; undecided if second derivatives occur in unexpanded derivatives."""
    matrix = DiffusionMatrix(problem, sign)
    if any(problem.jet.nested_order(d) > 1 for d in problem.jet.unexpanded):
        return Ellipticity(None)
    if matrix.is_proved:
        return Ellipticity(True)
    return Ellipticity(False, matrix.counterexample) if matrix.counterexample else Ellipticity(None)


def _times(sign: int, rows: Rows) -> Rows:
    return tuple(tuple(sign * e for e in row) for row in rows)


def _with_signed_symbol(matrix: Indexed, problem: Problem) -> Indexed:
    """The matrix with a symbol for the unknown, which carries the sign of its type."""
    unknown = problem.unknown
    if not isinstance(unknown.type, Scalar):
        return matrix
    value = Field(unknown.head, (), unknown.arguments)
    variable = {value: problem.jet.u}

    def verdict(e: Expr) -> Expr:
        retained = {p: Dummy(f"keep{k}") for k, p in enumerate(atoms(e, Partial))}
        return e.xreplace(retained).xreplace(variable).xreplace({v: k for k, v in retained.items()})

    outer = tuple((verdict(c), w) for c, w in matrix.outer)
    return Indexed(
        verdict(matrix.diagonal), outer, tuple((verdict(c), h) for c, h in matrix.learned), matrix.has_other_entries
    )
