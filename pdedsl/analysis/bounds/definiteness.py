"""Positive semidefiniteness of symmetric matrices of expressions, A(x) ⪰ 0, and Lipschitz roots A = ΣΣᵀ.

False means that no proof was found.
"""

from __future__ import annotations

from itertools import combinations, product

from sympy import Add, Expr, Float, KroneckerDelta, Matrix, Mul, Pow, S, Symbol, cancel, factor, together

from pdedsl.analysis.bounds.interval import Box
from pdedsl.analysis.bounds.jet_bounds import JetBounds
from pdedsl.analysis.bounds.sign import nonnegative
from pdedsl.ir.terms import Indexed
from pdedsl.record import Record
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import INDEX, Contraction, Field, atoms

# ---- Matrices in components


Rows = tuple[tuple[Expr, ...], ...]
MAX_SYMBOLS = 8  # symbols in an entry; with more, no outer product is searched
MAX_TERMS = 8  # of a difference of two entries that is simplified; more cost seconds
MAX_MINOR_DIMENSION = 3  # largest dimension for which principal minors are tried


def semidefinite(rows: Rows, box: Box, psd_heads: frozenset[Symbol] = frozenset()) -> bool:
    """Whether a matrix is proved to be semidefinite; learned matrices in `psd_heads` are semidefinite by type."""
    rows = _without_psd(_with_symmetric_entries(rows, psd_heads), psd_heads)
    return all(
        _block_is_semidefinite(tuple(tuple(rows[i][j] for j in block) for i in block), box) for block in blocks_of(rows)
    )


def blocks_of(rows: Rows) -> list[list[int]]:
    """The diagonal blocks: sets of coordinates that are not coupled to each other."""
    left, blocks = set(range(len(rows))), []
    while left:
        block, new = set(), {min(left)}
        while new:
            block |= new
            new = {j for i in new for j in left - block if rows[i][j] != 0}
        left -= block
        blocks.append(sorted(block))
    return blocks


def _block_is_semidefinite(rows: Rows, box: Box) -> bool:
    d = len(rows)
    if d == 1:
        return nonnegative(rows[0][0], box)
    if all(e.is_number for row in rows for e in row):
        return bool(Matrix(rows).is_positive_semidefinite)
    if _is_isotropic_plus_outer_product(rows, box):
        return True
    return d <= MAX_MINOR_DIMENSION and all(
        _minor_is_nonnegative(rows, c, box) for n in range(1, d + 1) for c in combinations(range(d), n)
    )


def _minor_is_nonnegative(rows: Rows, chosen: tuple[int, ...], box: Box) -> bool:
    """Whether a principal minor is nonnegative: a 2 × 2 minor also in the form ab - c². A matrix is semidefinite if all
    are (Horn, Johnson, Matrix Analysis, theorem 7.2.5)."""
    if len(chosen) == 2:
        i, j = chosen
        if nonnegative(rows[i][i] * rows[j][j] - rows[i][j] ** 2, box):
            return True
    return nonnegative(Matrix(rows).extract(list(chosen), list(chosen)).det(), box)


def _is_isotropic_plus_outer_product(rows: Rows, box: Box) -> bool:
    """Whether it is αI + β p pᵀ for symbols p, with nonnegative eigenvalues α and α + β|p|²."""
    d = len(rows)
    variables = [s for s in sorted(rows[0][1].free_symbols, key=str) if s not in box]
    for p in combinations(variables, d) if len(variables) <= MAX_SYMBOLS else ():
        if not _seems_outer(rows, p):
            continue
        ratio = expand(rows[0][1] / (p[0] * p[1]))
        alpha = expand(rows[0][0] - ratio * p[0] ** 2)
        if all(
            _are_equal(rows[i][j], ratio * p[i] * p[j] + (alpha if i == j else 0)) for i in range(d) for j in range(d)
        ):
            length = Add(*(s**2 for s in p))
            return nonnegative(alpha, box) and nonnegative(alpha + ratio * length, box)
    return False


def _seems_outer(rows: Rows, p: tuple[Symbol, ...]) -> bool:
    """The same form checked numerically at one point, to skip symbolic work where it fails."""
    variables = sorted({s for row in rows for e in row for s in e.free_symbols} | set(p), key=str)
    at = {s: Float(1 + 1 / (k + 3)) for k, s in enumerate(variables)}
    values = [[e.xreplace(at) for e in row] for row in rows]
    if not all(v.is_Float for row in values for v in row):
        return True
    ratio = values[0][1] / (at[p[0]] * at[p[1]])
    alpha = values[0][0] - ratio * at[p[0]] ** 2
    size = 1 + max(abs(v) for row in values for v in row)
    gaps = (
        values[i][j] - ratio * at[s] * at[q] - (alpha if i == j else 0)
        for (i, s), (j, q) in product(enumerate(p), repeat=2)
    )
    return all(abs(gap) < 1e-9 * size for gap in gaps)


def _are_equal(e: Expr, other: Expr) -> bool:
    difference = expand(e - other)
    return bool(difference == 0 or (len(difference.args) <= MAX_TERMS and cancel(together(difference)) == 0))


# ---- Learned matrices


def _with_symmetric_entries(rows: Rows, heads: frozenset[Symbol]) -> Rows:
    """Replaces A_ji by A_ij, for matrices that are symmetric by type."""

    def canonical_entries(e: Expr) -> Expr:
        fields = (f for f in atoms(e, Field) if f.head in heads)
        return e.xreplace({f: _entry(f.head, f, *f.indices) for f in fields})

    return tuple(tuple(map(canonical_entries, row)) for row in rows) if heads else rows


def _entry(head: Symbol, like: Field, i: Expr, j: Expr) -> Field:
    return Field(head, tuple(sorted((i, j), key=str)), tuple(like.arguments))


def _without_psd(rows: Rows, heads: frozenset[Symbol]) -> Rows:
    """The matrix minus c·H for every learned H that is semidefinite by type, where c ≥ 0."""
    for head in sorted(heads, key=str):
        entry = next((f for f in atoms(rows[0][0], Field) if f.head == head), None)
        if entry is None:
            continue
        fraction = rows[0][0].coeff(entry)
        less = tuple(
            tuple((e - fraction * _entry(head, entry, S(i), S(j))).expand() for j, e in enumerate(row, 1))
            for i, row in enumerate(rows, 1)
        )
        if nonnegative(fraction, {}) and not any(f.head == head for row in less for e in row for f in atoms(e, Field)):
            rows = less
    return rows


# ---- Matrices in index notation


def indexed_semidefinite(matrix: Indexed, psd_heads: frozenset[Symbol], box: Box, dimension: int | None) -> bool:
    """Whether diag(aᵢ) + Σ c w wᵀ + Σ c H is semidefinite in any dimension: every part is, or aᵢ = a and there is one
    w."""

    def holds(e: Expr) -> bool:
        return nonnegative(e, box, dimension)

    if matrix.has_other_entries or not all(h in psd_heads and holds(c) for c, h in matrix.learned):
        return False
    a, outer = matrix.diagonal, matrix.outer
    if a.has(KroneckerDelta) or not holds(a):
        return False
    if all(holds(c) for c, _ in outer):
        return True
    isotropic = len(outer) == 1 and not a.has(INDEX) and not outer[0][1].has(KroneckerDelta)
    return isotropic and holds(_eigenvalue_along(a, *outer[0], dimension))


def _eigenvalue_along(a: Expr, c: Expr, w: Expr, dimension: int | None) -> Expr:
    """The eigenvalue a + c|w|² along w."""
    index = Symbol("i1", integer=True)
    if INDEX not in w.free_symbols:
        count = S(dimension) if dimension is not None else Contraction(index, S.One)
        return cancel(a + c * w**2 * count) if dimension is not None else a + c * w**2 * count
    return cancel(together(a + c * Contraction(index, w.xreplace({INDEX: index}) ** 2)))


# ---- Lipschitz roots
# A matrix with bounded second derivatives has such a root (Stroock and Varadhan, Multidimensional Diffusion Processes,
# theorem 5.2.3); so has fgᵀ + gfᵀ with Lipschitz f and g if it is a square, and a learned field of the form LLᵀ or
# softplus. Roots of several matrices, side by side, are a root of their sum.


class LipschitzSquareRoots(Record):
    """Existence of a Lipschitz root, term by term."""

    bounds: JetBounds

    def exist_for(self, rows: Rows) -> bool:
        entries = [e for e in dict.fromkeys(e for row in rows for e in row) if self.bounds.depends_on_x(e)]
        if all(self.bounds.growth.of(e).is_twice_bounded for e in entries):
            return True
        return all(self._is_sum_of_rooted_terms(e) for e in entries) and all(
            self._is_nonnegative_by_groups(row[i]) for i, row in enumerate(rows)
        )

    def _is_sum_of_rooted_terms(self, e: Expr) -> bool:
        """Whether each term is smooth, or has a root."""
        return all(self._is_smooth(a) or self._is_lipschitz_product(a) for a in Add.make_args(expand(e)))

    def _is_nonnegative_by_groups(self, e: Expr) -> bool:
        """Whether, in a diagonal entry, the sum of the smooth terms is nonnegative, the sum of the products of
        Lipschitz functions is, and every other term is."""
        terms = Add.make_args(expand(e))
        smooth = [a for a in terms if self._is_smooth(a)]
        squares = [a for a in terms if a not in smooth and self._is_lipschitz_product(a)]
        others = [a for a in terms if a not in smooth and a not in squares]
        mixed = any(not self._is_squared(a) for a in squares)
        expression = factor(Add(*squares)) if mixed else Add(*squares)
        if mixed and not self._is_squared(expression):
            return False
        return all(nonnegative(a, self.bounds.box) for a in (Add(*smooth), expression, *others))

    def _is_squared(self, term: Expr) -> bool:
        """Whether a term is c f²."""
        return all(isinstance(a, Pow) and a.exp == 2 for a in Mul.make_args(term) if self.bounds.depends_on_x(a))

    def _is_smooth(self, term: Expr) -> bool:
        return not self.bounds.depends_on_x(term) or self.bounds.growth.of(term).is_twice_bounded

    def _is_lipschitz_product(self, term: Expr) -> bool:
        """Whether a term is c f g with Lipschitz f and g."""
        factors: list[Expr] = []
        for a in (a for a in Mul.make_args(term) if self.bounds.depends_on_x(a)):
            factors += [a.base] * 2 if isinstance(a, Pow) and a.exp == 2 else [a]
        return len(factors) == 2 and all(self.bounds.growth.of(f).is_lipschitz for f in factors)
