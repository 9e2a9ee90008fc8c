"""Degenerate ellipticity: F(x, t, u, p, X) does not decrease in X (Crandall, Ishii, Lions 1992, section 1).

∂F/∂X must be positive semidefinite for all values of the jet. This is decided in components where the space is written
out, and otherwise by rules for diag(aᵢ) + Σ c w wᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from sympy import Dummy, Expr, Symbol

from pdedsl.analyse.coefficients import NotLinear, indexed_matrix, second_parts
from pdedsl.analyse.intervals import Box
from pdedsl.analyse.jets import Jet, as_scalar, jet_of
from pdedsl.analyse.matrices import Rows, indexed_semidefinite, semidefinite
from pdedsl.analyse.positivity import strictly_positive
from pdedsl.analyse.problem import Problem
from pdedsl.analyse.samples import Ranges, have_values, levels_of, points, ranges_of
from pdedsl.analyse.searches.eigenvalues import negative_eigenvalue
from pdedsl.analyse.signs import box_of, nonnegative
from pdedsl.ir.terms import Indexed
from pdedsl.ir.types import Matrix, Scalar
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.expansion import multiply_out
from pdedsl.symbolic.symbols import Contraction, Field, Partial


@dataclass(frozen=True)
class Sign:
    """Whether a matrix is positive semidefinite (None: not known), with a witness if it is not."""

    nonnegative: bool | None
    witness: str = ""


@dataclass(frozen=True)
class Elliptic:
    """∂F/∂X of a problem, or -∂F/∂X."""

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
    def is_written_out(self) -> bool:
        return self.jet.layout.is_whole(self.problem.spec)

    @property
    def is_proved(self) -> bool:
        if self.is_written_out:
            return any(semidefinite(rows, self.box, self.psd) for rows in (self.rows, self._with_diagonals()))
        return self._by_index() or self._of_the_trace()

    def _with_diagonals(self) -> Rows:
        """The rows with nonnegative symbols for the diagonal entries of learned semidefinite matrices."""
        fields = {f for row in self.rows for e in row for f in atoms(e, Field) if f.head in self.psd}
        diagonal = sorted((f for f in fields if len(set(f.indices)) == 1), key=str)
        letters = {f: Dummy(f"d{k}", nonnegative=True) for k, f in enumerate(diagonal)}
        return tuple(tuple(e.xreplace(letters) for e in row) for row in self.rows)

    def _by_index(self) -> bool:
        spec, head = self.problem.spec, self.problem.unknown.head
        learned = frozenset(w.head for w in spec.learned if isinstance(w.type, Matrix))
        try:
            parts = list(second_parts(multiply_out(self.sign * self.problem.right), head))
        except NotLinear:
            return False
        found = indexed_matrix(parts, spec.space.dimension, learned)
        return indexed_semidefinite(_with_positive(found, self.problem), self.psd, self.box, self.dimension)

    def _of_the_trace(self) -> bool:
        """Whether F depends on X only through tr X, and does not decrease in it."""
        head, right = self.problem.unknown.head, self.sign * self.problem.right
        found = [c for c in atoms(right, Contraction) if _is_laplacian(c, head)]
        if len(found) != 1:
            return False
        trace = Dummy("trace", real=True)
        rest = right.xreplace({found[0]: trace})
        if any(len(p.slots) > 1 for p in atoms(rest, Partial)):
            return False
        return nonnegative(rest.diff(trace), self.box, self.dimension)

    @cached_property
    def witness(self) -> str:
        """Where it fails, in words; for a symbolic dimension it must fail in each of dimensions 1, 2 and 3."""
        spec = self.problem.spec
        if self._is_negative_for_every_weight():
            return "eigenvalue for every weight"
        if self.is_written_out or self.dimension is not None:
            return self._searched(self.jet) or self._tiny()
        unknown, right = self.problem.unknown, as_scalar((self.problem.right,), self.problem.unknown)
        shown = [self._searched(jet_of(right, unknown, spec, d)) for d in (1, 2)]
        return self._searched(self.jet) if all(shown) else ""

    def _searched(self, jet: Jet) -> str:
        times = (self.problem.spec.time.symbol,) if self.problem.spec.time else ()
        free = frozenset((*jet.coordinates, *jet.variables, *times))
        levels, whole = levels_of(self.problem.spec), (jet.expr, *self.problem.domain(jet))
        return negative_eigenvalue(_times(self.sign, jet.matrix), whole, free, self.ranges, jet.layout, levels)

    def _tiny(self) -> str:
        """The same, for a diagonal entry that is negative at every point, even by less than a search detects."""
        whole = (self.jet.expr, *self.problem.domain(self.jet))
        if not self.is_written_out or any(e.has(Field, Partial) for e in whole):
            return ""
        if not any(strictly_positive(-row[i], self.box) for i, row in enumerate(self.rows)):
            return ""
        symbols = set().union(*(e.free_symbols for e in whole))
        has_value = any(have_values(whole, p) for p in points(symbols, self.ranges))
        return "eigenvalue at every point" if has_value else ""

    def _is_negative_for_every_weight(self) -> bool:
        """Whether a diagonal entry with learned fields is negative for all of their values."""
        return any(row[i].has(Field) and strictly_positive(-row[i], self.box) for i, row in enumerate(self.rows))


@lru_cache(maxsize=64)
def ellipticity(problem: Problem, sign: int = 1) -> Sign:
    """Whether ± ∂F/∂X is positive semidefinite; not known where second derivatives are hidden in functions."""
    found = Elliptic(problem, sign)
    if any(problem.jet.hidden_order(d) > 1 for d in problem.jet.hidden):
        return Sign(None)
    if found.is_proved:
        return Sign(True)
    return Sign(False, found.witness) if found.witness else Sign(None)


def _times(sign: int, rows: Rows) -> Rows:
    return tuple(tuple(sign * e for e in row) for row in rows)


def _is_laplacian(c: Contraction, head: Symbol) -> bool:
    partials = [p for p in atoms(c, Partial) if isinstance(p.body, Field) and p.body.head == head]
    return len(partials) == 1 and c.body == partials[0] and len(set(partials[0].slots)) == 1 and len(c.body.slots) == 2


def _with_positive(matrix: Indexed, problem: Problem) -> Indexed:
    """The matrix with a symbol for the unknown that has the sign given by its type."""
    unknown = problem.unknown
    if not isinstance(unknown.type, Scalar):
        return matrix
    value = Field(unknown.head, (), unknown.arguments)
    letter = {value: problem.jet.u}

    def moved(e: Expr) -> Expr:
        kept = {p: Dummy(f"keep{k}") for k, p in enumerate(atoms(e, Partial))}
        return e.xreplace(kept).xreplace(letter).xreplace({v: k for k, v in kept.items()})

    outer = tuple((moved(c), w) for c, w in matrix.outer)
    return Indexed(moved(matrix.diagonal), outer, tuple((moved(c), h) for c, h in matrix.learned), matrix.rest)
