"""Derivatives of tensors: ∂, ∇, ∇· and Δ, in components that are computed on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from sympy import Expr, log

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.elaborate.definedness import note
from pdedsl.frontend.elaborate.scope import Scope, slot_of
from pdedsl.frontend.elaborate.values import Tensor, Value, dot, scalar, shown
from pdedsl.frontend.syntax import tree as t
from pdedsl.symbolic.calculus import contract, differentiate
from pdedsl.symbolic.symbols import Partial, TooLarge

MAX_ORDER = 8  # of a derivative


def _differentiated(body: Expr, slot: Expr) -> Expr:
    if body.has(log):
        note((body,))
    return differentiate(body, slot)


def derivative(body: Tensor, expr: t.Derivative, scope: Scope) -> Tensor:
    """`∂²u/∂x∂y`: one variable after the other."""
    _somewhere(scope, expr.span)
    for wrt in _slots(expr):
        body = _partial(body, wrt, scope)
    return body


def derivative_at(value: Value, head: t.Derivative, span: Span, scope: Scope) -> Tensor:
    """`∂Y/∂t(x, 0)`: the derivative of an unknown, at other arguments."""
    if not isinstance(value, Tensor):
        raise mistakes.shapes.no_derivative(shown(value), span)
    _somewhere(scope, span)
    slots = [slot_of(w, scope) for w in _slots(head)]
    return replace(value, at=lambda *i: Partial(value.at(*i), *slots))


def _somewhere(scope: Scope, span: Span) -> None:
    """Refuses derivatives in constant expressions: these depend on no space."""
    if scope.constant:
        raise mistakes.shapes.not_constant(span)


def _slots(expr: t.Derivative) -> list[t.Wrt]:
    """The variables of a derivative, each repeated as often as its order."""
    if sum(w.order for w in expr.wrt) > MAX_ORDER:
        raise mistakes.syntax.high_order(MAX_ORDER, expr.span)
    return [w for w in expr.wrt for _ in range(w.order)]


def _partial(body: Tensor, wrt: t.Wrt, scope: Scope) -> Tensor:
    if wrt.name.id == "n" and scope.normal and not wrt.indices:
        slopes = gradient(body, scope, wrt.span)
        along = replace(slopes, at=lambda *i: slopes.at(*i[1:], i[0]))
        return dot(scope.outer_normal(), along, wrt.span)
    slot = slot_of(wrt, scope)
    return replace(body, at=lambda *i: bounded(lambda: _differentiated(body.at(*i), slot), wrt.span))


def prefixed(operator: t.Operator, body: Tensor, span: Span, scope: Scope) -> Tensor:
    """`∇u`, `∇²u`, `∇·v`, `Δu`."""
    _somewhere(scope, span)
    match operator:
        case "grad":
            return gradient(body, scope, span)
        case "hess":
            return gradient(gradient(body, scope, span), scope, span)
        case "div":
            return divergence(body, scope, span)
        case "lap":
            return replace(body, at=lambda *i: divergence(gradient(scalar(body.at(*i)), scope, span), scope, span).expr)
        case _:
            assert_never(operator)


def gradient(body: Tensor, scope: Scope, span: Span) -> Tensor:
    if body.rank > 1:
        raise mistakes.shapes.no_gradient(body.shown(), span)
    _written_alike(body, scope, span)

    def at(*index: Expr) -> Expr:
        return bounded(lambda: _differentiated(body.at(*index[:-1]), scope.slot(index[-1])), span)

    return Tensor(body.rank + 1, at, scope.dimension, body.kind)


def divergence(body: Tensor, scope: Scope, span: Span) -> Tensor:
    if body.rank == 0:
        raise mistakes.shapes.no_divergence(body.shown(), span)
    if body.size != scope.dimension and None not in (body.size, scope.dimension):
        raise mistakes.shapes.divergence_of_other_size(body.shown(), scope.dimension, span)
    _written_alike(body, scope, span)

    def at(*index: Expr) -> Expr:
        def term(k: Expr) -> Expr:
            return _differentiated(body.at(*index, k), scope.slot(k))

        return bounded(lambda: contract(term, scope.dimension), span)

    return Tensor(body.rank - 1, at, body.size if body.rank > 1 else None, body.kind)


def _written_alike(body: Tensor, scope: Scope, span: Span) -> None:
    """Refuses derivatives of a tensor of known size along coordinates that are not written out."""
    if body.rank and body.size is not None and scope.dimension is None:
        raise mistakes.shapes.coordinates_not_written_out(body.shown(), span)


def bounded(compute: Callable[[], Expr], span: Span) -> Expr:
    """The computed expression; a mistake at its place if it exceeds the limits of size."""
    try:
        return compute()
    except TooLarge as error:
        raise mistakes.syntax.beyond_limits(str(error), span) from None
