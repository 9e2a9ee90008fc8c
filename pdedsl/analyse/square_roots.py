"""Conditions under which a matrix A(x) ⪰ 0 is ΣΣᵀ with Σ Lipschitz in x.

A matrix with bounded second derivatives has such a root (Stroock and Varadhan, Multidimensional Diffusion Processes,
theorem 5.2.3); so has fgᵀ + gfᵀ with Lipschitz f and g if it is a square, and what a learned type builds from a root:
LLᵀ, softplus. Roots of several matrices, side by side, are a root of their sum. If relu(g) is the coefficient of Δu
and there is no drift, nothing moves where g < 0, and values on the edge of this region stay where they are if g does
not depend on t: they are boundary values for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, Mul, Pow, S, factor

from pdedsl.analyse.letters import Letters
from pdedsl.analyse.matrices import Rows
from pdedsl.analyse.signs import nonnegative
from pdedsl.ir.types import Matrix, Scalar
from pdedsl.numerics.activations import RELU
from pdedsl.symbolic.activations import Activation
from pdedsl.symbolic.atoms import free_symbols
from pdedsl.symbolic.expansion import expand
from pdedsl.symbolic.symbols import Field


@dataclass(frozen=True)
class Roots:
    """Checks the entries of a matrix term by term."""

    of: Letters

    def are_in(self, rows: Rows) -> bool:
        entries = [e for e in dict.fromkeys(e for row in rows for e in row) if self.of.varies(e)]
        if all(self.of.grower.of(e).is_twice_bounded for e in entries):
            return True
        return self._is_folded(rows) or (
            all(self._is_sum(e) for e in entries) and all(self._is_apart(row[i]) for i, row in enumerate(rows))
        )

    def _is_sum(self, e: Expr) -> bool:
        """Whether each term is smooth, or has a root."""
        return all(self._is_smooth(a) or self._is_square(a) or self._is_typed(a) for a in Add.make_args(expand(e)))

    def _is_apart(self, e: Expr) -> bool:
        """Whether, in a diagonal entry, the sum of the smooth terms is nonnegative, that of the products of Lipschitz
        functions is, and every other term is by itself."""
        terms = Add.make_args(expand(e))
        smooth = [a for a in terms if self._is_smooth(a)]
        squares = [a for a in terms if a not in smooth and self._is_square(a)]
        others = [a for a in terms if a not in smooth and a not in squares]
        mixed = any(not self._is_even(a) for a in squares)
        whole = factor(Add(*squares)) if mixed else Add(*squares)
        if mixed and not self._is_even(whole):
            return False
        return all(nonnegative(a, self.of.box) for a in (Add(*smooth), whole, *others))

    def _is_even(self, term: Expr) -> bool:
        """Whether a term is c f²."""
        return all(isinstance(a, Pow) and a.exp == 2 for a in Mul.make_args(term) if self.of.varies(a))

    def _is_smooth(self, term: Expr) -> bool:
        return not self.of.varies(term) or self.of.grower.of(term).is_twice_bounded

    def _is_square(self, term: Expr) -> bool:
        """Whether a term is c f g with Lipschitz f and g."""
        factors: list[Expr] = []
        for a in (a for a in Mul.make_args(term) if self.of.varies(a)):
            factors += [a.base] * 2 if isinstance(a, Pow) and a.exp == 2 else [a]
        return len(factors) == 2 and all(self.of.grower.of(f).is_lipschitz for f in factors)

    def _is_typed(self, term: Expr) -> bool:
        """Whether a term is a multiple of a learned field that is nonnegative, or semidefinite, by type."""
        varying = [a for a in Mul.make_args(term) if self.of.varies(a)]
        if len(varying) != 1 or not isinstance(varying[0], Field) or not self.of.grower.of(varying[0]).is_lipschitz:
            return False
        kind = next((w.type for w in self.of.problem.spec.learned if w.head == varying[0].head), None)
        return (isinstance(kind, Matrix) and kind.psd) or (isinstance(kind, Scalar) and bool(kind.sign))

    def _is_folded(self, rows: Rows) -> bool:
        """Whether the matrix is c relu(g) I with a smooth g, and neither a drift nor time moves the edge g = 0."""
        jet, e = self.of.jet, rows[0][0]
        if not jet.is_affine or any(b != 0 for b in jet.drift) or self.of.time in free_symbols(e):
            return False
        if any(a != (e if i == j else S.Zero) for i, row in enumerate(rows) for j, a in enumerate(row)):
            return False
        varying = [a for a in Mul.make_args(e) if self.of.varies(a)]
        folds = len(varying) == 1 and isinstance(varying[0], Activation) and varying[0].record is RELU
        return folds and self.of.grower.of(varying[0].args[0]).is_twice_bounded
