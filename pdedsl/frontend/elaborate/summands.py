"""The summands of equations and conditions, with their places, and the unknowns in them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from sympy import Add, Expr, Integer, Mul, Pow, Symbol, Tuple, cancel, sift

from pdedsl import mistakes
from pdedsl.frontend.elaborate.definedness import watched
from pdedsl.frontend.elaborate.environment import Environment
from pdedsl.frontend.elaborate.expressions import tensor
from pdedsl.frontend.elaborate.scope import Scope
from pdedsl.frontend.elaborate.values import Tensor, fitting
from pdedsl.frontend.syntax import tree as t
from pdedsl.ir.spec import Summand, Unknown
from pdedsl.ir.types import Vector
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.expansion import multiply_out
from pdedsl.symbolic.replacing import product, replaced
from pdedsl.symbolic.symbols import Field

T = TypeVar("T")
MAX_TERMS = 500  # of an equation
MAX_CANCEL = 60  # terms of an equation whose denominators are cleared


def summands_of(statement: t.EquationStmt, scope: Scope) -> tuple[Summand, ...]:
    """All terms moved to the left, each with its place; the shapes of the two sides must agree."""
    left, right = _terms(statement.left, 1), _terms(statement.right, 1)
    sides = [*((s, s, e) for s, e in left), *((-s, s, e) for s, e in right)]
    if len(sides) > MAX_TERMS:
        raise mistakes.syntax.many_terms(len(sides), MAX_TERMS, statement.span)
    domains: list[list[Expr]] = [[] for _ in sides]
    values = [_watched(partial(tensor, e, scope), d) for (_, _, e), d in zip(sides, domains, strict=True)]
    like = fitting([(sign, value, e.span) for (sign, _, e), value in zip(sides, values, strict=True)], added=False)
    found = [_watched(partial(listed, v, like.rank, like.size), d) for v, d in zip(values, domains, strict=True)]
    return tuple(
        Summand(tuple(sign * x for x in exprs), e.span, written < 0, tuple(dict.fromkeys(domain)))
        for (sign, written, e), exprs, domain in zip(sides, found, domains, strict=True)
    )


def _watched(compute: Callable[[], T], domain: list[Expr]) -> T:
    """A result; what has to have a value for it is added to the domain."""
    with watched() as found:
        result = compute()
    domain += found
    return result


def _terms(expr: t.Expr, sign: int) -> list[tuple[int, t.Expr]]:
    match expr:
        case t.Sum(terms=terms):
            return [p for s, e in terms for p in _terms(e, -sign if s == "-" else sign)]
        case t.Group(body=body):
            return _terms(body, sign)
        case _:
            return [(sign, expr)]


def listed(value: Tensor, rank: int, size: int | None) -> list[Expr]:
    """The components of a scalar or vector; a literal zero fits any shape."""
    if rank == 0:
        return [value.expr]
    if size is None:
        index = Symbol("i0", integer=True)
        return [value.at(index) if value.rank else value.expr]
    indices = [Integer(i) for i in range(1, size + 1)]
    if rank == 1:
        return [value.at(i) if value.rank else value.expr for i in indices]
    return [value.at(i, j) if value.rank else value.expr for i in indices for j in indices]


def unknown_fields(exprs: list[Expr], env: Environment) -> list[Field]:
    heads = {u.head for u in env.unknowns.values()}
    found = {f for e in exprs for f in atoms(e, Field) if f.head in heads}
    return sorted(found, key=str)


def unknown_of(field: Field, env: Environment) -> Unknown:
    return next(u for u in env.unknowns.values() if u.head == field.head)


def size_of(unknown: Unknown, env: Environment) -> int:
    """The number of components."""
    match unknown.type:
        case Vector(size=size):
            dimension = env.scope().space.dimension
            return size or (dimension if isinstance(dimension, int) else 0)
        case _:
            return 1


def own_arguments(field: Field, env: Environment) -> object:
    return Tuple(*unknown_of(field, env).arguments)


def is_fixed(field: Field, env: Environment) -> bool:
    """Whether some argument is a fixed value, such as an end of a side or of time, rather than a shift."""
    own = unknown_of(field, env).arguments
    pairs = list(zip(field.arguments, own, strict=True))
    return any(a.xreplace(env.numbers).is_number for a, o in pairs if a != o)


def normal(exprs: list[Expr], numbers: dict[Symbol, Expr]) -> Expr:
    """A sum of products with constants replaced by numbers; variable denominators are cancelled where possible."""
    whole = Add(*(multiply_out(replaced(e, numbers)) for e in exprs))
    terms = Add.make_args(whole)
    return Add(*map(_cancelled, terms)) if len(terms) <= MAX_CANCEL else whole


def _cancelled(term: Expr) -> Expr:
    """A product without common factors above and below the line; roots, and functions that stand only above it, are
    set aside."""
    factors = Mul.make_args(term)
    below = [f for f in factors if isinstance(f, Pow) and f.exp.is_Integer and f.exp < 0 and not f.is_number]
    if not below:
        return term
    if not all(f.is_rational_function() for f in below):
        return cancel(term)
    ratio, apart = sift(factors, lambda f: bool(f.is_rational_function()), binary=True)
    return product(cancel(Mul(*ratio)), *apart)
