"""Lists, powers, quotients, adjoints, norms and chains of factors; sums and single products are in `values`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from sympy import Abs, Expr, Integer, S, Symbol, Tuple, sqrt

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.definedness import noted
from pdedsl.frontend.elaborate.limits import MAX_BITS
from pdedsl.frontend.elaborate.numbers import defined
from pdedsl.frontend.elaborate.values import (
    LinearMap,
    Map,
    Tensor,
    Value,
    add,
    dot,
    matrix,
    scalar,
    scale,
    shown,
    vector,
)
from pdedsl.frontend.syntax import tree as t
from pdedsl.symbolic.calculus import contract

MAX_EXPONENT = 1000


def listed(items: list[Tensor], span: Span) -> Tensor:
    """A vector of numbers, or a matrix of rows."""
    if not items:
        raise mistakes.shapes.empty_list(span)
    ranks = {i.rank for i in items}
    if ranks == {0} and all(i.kind == "number" for i in items):
        return vector(tuple(i.expr for i in items))
    if ranks == {1} and all(i.size == len(items) for i in items):
        indices = [Integer(i) for i in range(1, len(items) + 1)]
        return matrix(tuple(tuple(i.at(j) for j in indices) for i in items))
    if ranks == {1}:
        raise mistakes.shapes.no_square_matrix([i.size for i in items], span)
    raise mistakes.shapes.not_a_list(span)


def components(value: Tensor) -> Expr:
    """All components in one expression: written out, or one component with a free index."""
    if value.rank == 0:
        return value.expr
    if value.size is None:
        return value.at(*(Symbol(f"i{-k}", integer=True) for k in range(value.rank)))
    indices = [Integer(i) for i in range(1, value.size + 1)]
    if value.rank == 1:
        return Tuple(*(value.at(i) for i in indices))
    return Tuple(*(Tuple(*(value.at(i, j) for j in indices)) for i in indices))


def norm(value: Tensor) -> Tensor:
    """|a|, ‖v‖ or ‖A‖, the root of the sum of squares."""
    match value.rank:
        case 0:
            return scalar(Abs(value.expr), value.kind)
        case 1:
            dimension = value.size
            return scalar(sqrt(contract(lambda i: value.at(i) ** 2, dimension)), value.kind)
        case _:
            size = value.size
            inner = contract(lambda i: contract(lambda j: value.at(i, j) ** 2, size), size)
            return scalar(sqrt(inner), value.kind)


def adjoint(value: Value, span: Span) -> Value:
    match value:
        case LinearMap():
            return value.adjoint()
        case Tensor(rank=2):
            return replace(value, at=lambda i, j: value.at(j, i))
        case _:
            raise mistakes.shapes.no_adjoint(shown(value), span)


def power(base: Value, exponent: Tensor, span: Span, numbers: Mapping[Symbol, Expr]) -> Value:
    """`uⁿ`; for a function, the power of its result: `sin² x`. `numbers` are the values of the constants."""
    if isinstance(base, Map):
        if exponent.rank == 0 and exponent.expr.is_negative:
            raise mistakes.notation.inverse(base.name, span)
        inner = base
        return Map(inner.name, lambda a, s: _raised(inner.call(a, s), exponent, span, numbers), inner.arity)
    return _raised(base, exponent, span, numbers)


def _raised(base: Value, exponent: Tensor, span: Span, numbers: Mapping[Symbol, Expr]) -> Tensor:
    if not isinstance(base, Tensor) or base.rank:
        raise mistakes.shapes.no_power(shown(base), isinstance(base, Tensor) and base.rank == 1, span)
    if exponent.kind != "number" or base.kind not in ("number", "channels"):
        raise mistakes.shapes.power_of_kind(base.shown(), span)
    b, e = base.expr, exponent.expr
    _within_powers(b.xreplace(numbers), e.xreplace(numbers), span)
    return Tensor(0, lambda: noted(defined(b**e, span)), kind=base.kind, literal=base.literal and exponent.literal)


def _within_powers(b: Expr, e: Expr, span: Span) -> None:
    if e.is_Rational and (abs(e.p) > MAX_EXPONENT or e.q > MAX_EXPONENT):
        raise mistakes.syntax.large_exponent(MAX_EXPONENT, span)
    if b.is_Rational and e.is_Rational and abs(e) * max(b.p.bit_length(), b.q.bit_length()) > MAX_BITS:
        raise mistakes.syntax.large_power(span)


def reciprocal(value: Value, span: Span) -> Tensor:
    if not isinstance(value, Tensor) or value.rank or value.kind not in ("number", "channels"):
        raise mistakes.shapes.division_by(shown(value), span)
    if value.expr == S.Zero:
        raise mistakes.shapes.division_by_zero(span)
    return Tensor(0, lambda: noted(1 / value.expr), kind=value.kind, literal=value.literal)


def sum_of_maps(parts: list[tuple[int, LinearMap, Span]]) -> LinearMap:
    return LinearMap(
        lambda x, at: add([(s, v.apply(x, at), span) for s, v, span in parts]),
        lambda: sum_of_maps([(s, v.adjoint(), span) for s, v, span in parts]),
    )


def chain(values: list[tuple[t.Times, Value, Span]]) -> Value:
    """Factors from right to left: numbers multiply, operators and functions act on what follows them."""
    for i, ((_, value, span), _) in enumerate(pairwise(values)):
        if isinstance(value, Map) and i + 2 != len(values):
            raise mistakes.syntax.argument_end(value.name, span, values[i + 1][2], values[-1][2])
    sign, result, span = values[-1]
    if sign == "/":
        result = reciprocal(result, span)
    for sign, value, place in reversed(values[:-1]):
        if sign == "/":
            value = reciprocal(value, place)
        between, span = Span(place.end, span.start), place.to(span)
        if isinstance(value, Tensor) and isinstance(result, Tensor) and value.rank == result.rank == 1:
            raise mistakes.shapes.no_product(value.shown(), result.shown(), True, span, between)
        result = value.call((result,), span) if isinstance(value, Map) else scale(value, result, span)
    return result


def dotted(sign: t.Times, left: Value, right: Value, span: Span) -> Value:
    """`v·w`, `A:B`."""
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return scale(left, right, span)
    if sign == "·":
        return dot(left, right, span)
    if (left.rank, right.rank) != (2, 2):
        raise mistakes.shapes.contracts_matrices(left.shown(), right.shown(), span)
    rows = dot(left, Tensor(2, lambda i, j: right.at(j, i), right.size, right.kind), span)
    return scalar(contract(lambda i: rows.at(i, i), rows.size), rows.kind)
