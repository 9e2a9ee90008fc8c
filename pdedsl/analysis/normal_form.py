"""Normal form ∂ⁿu/∂tⁿ = F of an equation, and the contribution of each summand to F."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from sympy import Add, Expr, Integer, Symbol

from pdedsl.analysis.drift_diffusion import LinearTerm, indexed_matrix, indexed_vector, matrix, vector
from pdedsl.ir.spec import Equation, Spec, Summand, Unknown
from pdedsl.ir.terms import Coefficient
from pdedsl.ir.types import Matrix, Vector
from pdedsl.record import Record
from pdedsl.symbolic.rewrite import expand_products
from pdedsl.symbolic.symbols import Contraction, Field, Partial, atoms


class NormalForm(Record):
    """An equation, the unknown for which it is solved, and the form of coefficients in its space."""

    equation: Equation
    unknown: Unknown
    spec: Spec

    @cached_property
    def heads(self) -> frozenset[Symbol]:
        return frozenset(u.head for u in self.spec.unknowns)

    @cached_property
    def time(self) -> Symbol | None:
        return self.spec.time.symbol if self.spec.time else None

    def component(self, k: int) -> Field:
        """Component k of the unknown, counted from zero."""
        indices: tuple[Expr, ...] = ()
        if isinstance(self.unknown.type, Vector):
            size = self.unknown.type.size
            written = size is not None or self.spec.space.explicit or len(self.equation.rhs) > 1
            indices = (Integer(self.equation.component or k + 1),) if written else (Symbol("i0", integer=True),)
        return Field(self.unknown.head, indices, self.unknown.arguments)

    def with_dimension(self, expr: Expr) -> Expr:
        """The expression with Σᵢ 1 replaced by the dimension, if that is a number."""
        n = self.spec.space.dimension
        ones = [c for c in atoms(expr, Contraction) if c.body == 1]
        return expr.xreplace(dict.fromkeys(ones, Integer(n))) if ones and isinstance(n, int) else expr

    def drift(self, parts: list[LinearTerm]) -> Coefficient:
        space = self.spec.space
        return vector(parts, space.coordinates) if space.explicit else indexed_vector(parts, space.dimension)

    def diffusivity(self, parts: list[LinearTerm]) -> Coefficient:
        space = self.spec.space
        learned = frozenset(w.head for w in self.spec.learned if isinstance(w.type, Matrix))
        if space.explicit:
            return matrix(parts, space.coordinates)
        return indexed_matrix(parts, space.dimension, learned)


def unknown_of(equation: Equation, spec: Spec) -> Unknown:
    """The unknown for which an equation is solved; for a stationary equation with several, one without another
    equation."""
    declared = next((u for u in spec.unknowns if u.head == equation.unknown), None)
    if declared is not None:
        return declared
    solved = {e.unknown for e in spec.equations}
    inside = {f.head for e in equation.rhs for f in atoms(e, Field)}
    here = [u for u in spec.unknowns if u.head in inside] or list(spec.unknowns)
    return next((u for u in here if u.head not in solved), here[0])


def normal_form(equation: Equation, spec: Spec) -> NormalForm:
    return NormalForm(equation, unknown_of(equation, spec), spec)


def contributions(form: NormalForm) -> Iterator[tuple[Summand, tuple[Expr, ...]]]:
    """The contribution of each summand to the right-hand side, with numerical values of constants."""
    rows = [
        (s, tuple(expand_products(form.with_dimension(e.xreplace(form.spec.values))) for e in s.exprs))
        for s in form.equation.summands
        if any(e != 0 for e in s.exprs)
    ]
    solve = [_solver(form, k, [exprs[k] for _, exprs in rows]) for k in range(len(form.equation.rhs))]
    for summand, exprs in rows:
        yield summand, tuple(solved(e) for solved, e in zip(solve, exprs, strict=True))


def _solver(form: NormalForm, k: int, exprs: list[Expr]) -> Callable[[Expr], Expr]:
    """Maps a summand to its contribution, for the equation solved for the time derivative of component k."""
    leading = leading_time_derivative(form, k)
    if leading is None:
        return lambda e: e
    with_leading = [a for e in exprs for a in Add.make_args(e) if a.has(leading)]
    coefficient = Add(*(a / leading for a in with_leading))
    if coefficient == 0 or coefficient.has(leading):
        return lambda e: e  # implicit equations are not solved
    return lambda e: Add(*(expand_products(-a / coefficient) for a in Add.make_args(e) if not a.has(leading)))


def leading_time_derivative(form: NormalForm, k: int) -> Partial | None:
    """∂ⁿu/∂tⁿ."""
    if form.time is None or not form.equation.order:
        return None
    return Partial(form.component(k), *(form.time,) * form.equation.order)


def with_named_constants(form: NormalForm) -> Expr:
    """The right-hand side with constants by name, for display."""
    exprs = [expand_products(s.exprs[0]) for s in form.equation.summands]
    return Add(*map(_solver(form, 0, exprs), exprs))
