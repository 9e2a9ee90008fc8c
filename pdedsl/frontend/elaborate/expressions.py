"""Syntax of an expression → its value, with every name, rank and size checked."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from sympy import E, Expr, Rational, S, pi

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.algebra import adjoint, chain, dotted, listed, norm, power, sum_of_maps
from pdedsl.frontend.elaborate.apply import function_at
from pdedsl.frontend.elaborate.calculus import bounded, derivative, derivative_at, prefixed
from pdedsl.frontend.elaborate.functions import FUNCTIONS
from pdedsl.frontend.elaborate.limits import within_limits
from pdedsl.frontend.elaborate.numbers import number
from pdedsl.frontend.elaborate.scope import Scope, component
from pdedsl.frontend.elaborate.values import LinearMap, Map, Tensor, Value, add, scalar, scale, shown
from pdedsl.frontend.syntax import tree as t
from pdedsl.symbolic.calculus import contract

MAX_SUMS = 4  # nested Σ
MAX_COPIES = 300  # of the body of a sum, when written out


def evaluate(expr: t.Expr, scope: Scope) -> Value:
    """The value of an expression; checks the limits of size."""
    value = _evaluated(expr, scope)
    if isinstance(value, Tensor) and value.rank == 0:
        within_limits(value.expr, expr.span)
    return value


def _evaluated(expr: t.Expr, scope: Scope) -> Value:
    match expr:
        case t.Number():
            return scalar(number(expr), literal=True)
        case t.Fraction(over=(a, b)):
            return scalar(Rational(a, b), literal=True)
        case t.Name():
            return _name(expr, scope)
        case t.Text():
            raise mistakes.shapes.text_in_expression(expr.span)
        case t.Group(body=body):
            return evaluate(body, scope)
        case t.ListOf(items=items):
            return listed([tensor(i, scope) for i in items], expr.span)
        case t.Norm(body=body):
            return norm(tensor(body, scope))
        case t.Derivative(body=body):
            return derivative(tensor(body, scope), expr, scope)
        case t.Call():
            return _call(expr, scope)
        case t.Index(body=body):
            return component(evaluate(body, scope), expr, scope)
        case t.Adjoint(body=body):
            return adjoint(evaluate(body, scope), expr.span)
        case t.Prefix(operator=operator, body=body):
            return prefixed(operator, tensor(body, scope), expr.span, scope)
        case t.Power(base=base, exponent=exponent):
            return power(evaluate(base, scope), tensor(exponent, scope, 0), expr.span, scope.names.numbers)
        case t.Negative(body=body):
            return scale(scalar(S.NegativeOne), evaluate(body, scope), expr.span)
        case t.Total():
            return _total(expr, scope)
        case t.Product():
            return _product(expr, scope)
        case t.Sum():
            return _sum(expr, scope)
        case _:
            assert_never(expr)


def tensor(expr: t.Expr, scope: Scope, rank: int | None = None) -> Tensor:
    """The value of an expression that must be a tensor, of the given rank if there is one."""
    value = evaluate(expr, scope)
    if not isinstance(value, Tensor):
        raise mistakes.shapes.not_a_value(shown(value), isinstance(value, LinearMap), expr.span)
    if rank is not None and value.rank != rank:
        wanted = ("number", "vector", "matrix")[rank]
        raise mistakes.shapes.wrong_rank(wanted, value.shown(), expr.span)
    return value


# ---- names and calls


def _name(name: t.Name, scope: Scope) -> Value:
    if name.id in scope.local:
        return scope.local[name.id]
    if name.id in scope.indices:
        return scalar(scope.indices[name.id])
    if name.id == "n" and scope.normal:
        return scope.outer_normal()
    if name.id == "pi":
        return scalar(pi)
    if name.id == "e" and scope.names.is_free("e"):
        return scalar(E)
    layer = scope.names.layer(t.Call(name, (), span=name.span))
    if layer:
        return layer
    if name.id in FUNCTIONS or name.id == "softmax":
        return Map(name.text, lambda args, span: function_at(name.id, args, span), "its arguments")
    return scope.names.value(name)


def _call(call: t.Call, scope: Scope) -> Value:
    head = call.head
    if isinstance(head, t.Derivative) and isinstance(head.body, t.Name) and head.body.id not in scope.local:
        value = scope.names.call(head.body, tuple(evaluate(a, scope) for a in call.args), call.span)
        return derivative_at(value, head, call.span, scope)
    if not isinstance(head, t.Name):
        return scale(evaluate(head, scope), _only(call, scope), call.span)
    layer = scope.names.layer(call)
    if layer:
        return layer
    if call.named:
        key, given = call.named[0]
        raise mistakes.shapes.named_argument(head.text, key.span, given.span)
    if head.id in scope.local or head.id in scope.indices or head.id in FUNCTIONS or head.id in ("softmax", "pi"):
        value = _name(head, scope)
        if isinstance(value, Map):
            return value.call(tuple(evaluate(a, scope) for a in call.args), call.span)
        return factor_or_error(value, head, call, scope)
    if scope.names.callable(head):
        return scope.names.call(head, tuple(evaluate(a, scope) for a in call.args), call.span)
    return factor_or_error(scope.names.value(head), head, call, scope)


def factor_or_error(value: Value, head: t.Name, call: t.Call, scope: Scope) -> Value:
    """`λ(a - x)` is read as a product, since λ is not a function; `σ(x)` looks like a call, and is an error."""
    if len(call.args) == 1 and isinstance(call.args[0], t.Sum):
        return scale(value, evaluate(call.args[0], scope), call.span)
    raise mistakes.shapes.not_a_function(head.text, shown(value), call.span)


def _only(call: t.Call, scope: Scope) -> Value:
    if len(call.args) != 1 or call.named:
        raise mistakes.shapes.cannot_be_called(call.span)
    return evaluate(call.args[0], scope)


# ---- sums and products


def _total(expr: t.Total, scope: Scope) -> Tensor:
    kinds: list[str] = []
    if scope.constant:
        raise mistakes.shapes.not_constant(expr.span)
    if (scope.dimension or 1) ** (scope.sums + 1) > MAX_COPIES or scope.sums >= MAX_SUMS:
        raise mistakes.syntax.nested_sums(expr.span)

    def term(i: Expr) -> Expr:
        value = tensor(expr.body, replace(scope, indices={**scope.indices, expr.index.id: i}, sums=scope.sums + 1), 0)
        kinds.append(value.kind)
        return value.expr

    total = bounded(lambda: contract(term, scope.dimension), expr.span)
    return scalar(total, kinds[0])


def _sum(expr: t.Sum, scope: Scope) -> Value:
    parts: list[tuple[int, Value, Span]] = []
    for sign, term in expr.terms:
        scores = any(isinstance(v, Tensor) and v.kind == "features" for _, v, _ in parts)
        if scores and isinstance(term, t.Name) and term.id not in scope.local and scope.names.is_free(term.id):
            raise mistakes.shapes.bias(term.text, term.span)
        parts.append((-1 if sign == "-" else 1, evaluate(term, scope), term.span))
    if all(isinstance(v, LinearMap) for _, v, _ in parts):
        return sum_of_maps([(s, v, span) for s, v, span in parts if isinstance(v, LinearMap)])
    for (_, value, _), (_, term) in zip(parts, expr.terms, strict=True):
        if not isinstance(value, Tensor):
            tensor(term, scope)
    return add([(s, v, span) for s, v, span in parts if isinstance(v, Tensor)])


def _product(expr: t.Product, scope: Scope) -> Value:
    """Segments between dots, each a chain of factors; dots bind least tightly, from left to right."""
    segments: list[list[tuple[t.Times, t.Expr]]] = [[]]
    dots: list[t.Times] = []
    for sign, factor in expr.factors:
        if sign in ("·", ":"):
            dots.append(sign)
            segments.append([])
            sign = ""
        segments[-1].append((sign, factor))
    value = _chain(segments[0], scope)
    for sign, segment in zip(dots, segments[1:], strict=True):
        right = _along(value, _chain(segment, scope), segment[0][1])
        span = segments[0][0][1].span.to(segment[-1][1].span)
        value = dotted(sign, value, right, span)
    return value


def _along(left: Value, right: Value, first: t.Expr) -> Value:
    """`v·∇w` of a vector w is (v·∇)w = Σⱼ vⱼ ∂w/∂xⱼ: the dot is with the ∇."""
    match left, right, first:
        case Tensor(rank=1), Tensor(rank=2), t.Prefix(operator="grad"):
            return replace(right, at=lambda i, j: right.at(j, i))
        case _:
            return right


def _chain(factors: list[tuple[t.Times, t.Expr]], scope: Scope) -> Value:
    return chain([(sign, evaluate(f, scope), f.span) for sign, f in factors])
