"""Syntax of an expression → its value, with every name, rank and size checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Protocol, assert_never

from sympy import Abs, Expr, Integer, Rational, S, Symbol, Tuple, nan, oo, pi, sqrt, zoo

from pdedsl.diagnostics import Span, fail
from pdedsl.frontend import tree as t
from pdedsl.frontend.functions import FUNCTIONS
from pdedsl.frontend.limits import MAX_BITS, within_limits
from pdedsl.frontend.values import (
    LinearMap,
    Map,
    Tensor,
    Value,
    add,
    an,
    dot,
    matrix,
    scalar,
    scale,
    shown,
    vector,
)
from pdedsl.ir.spec import Space
from pdedsl.ir.symbols import Component, Partial, Softmax, TooLarge, contract, differentiate

MAX_EXPONENT = 1000
MAX_SUMS = 4  # Σ within each other
MAX_COPIES = 300  # of the body of a sum, written out
MAX_ORDER = 8  # of a derivative
MAX_CHOICES = 8  # arguments of min and max
LARGEST = 308  # decimal exponent of a number


class Names(Protocol):
    """What declared names mean."""

    def value(self, name: t.Name) -> Value: ...

    def callable(self, name: t.Name) -> bool: ...

    def call(self, name: t.Name, args: tuple[Value, ...], span: Span) -> Value: ...

    def layer(self, call: t.Call) -> Map | None: ...


@dataclass(frozen=True)
class Scope:
    """Where an expression stands: the space, the time, the declared names, parameters and summation indices."""

    space: Space
    time: Symbol | None
    names: Names
    local: dict[str, Value] = field(default_factory=dict)
    indices: dict[str, Expr] = field(default_factory=dict)
    sums: int = 0  # how many Σ it stands in
    normal: bool = False  # whether `n` is the outer normal here

    @property
    def dimension(self) -> int | None:
        """How many components are written out; None where contractions stand for them."""
        return len(self.space.coordinates) if self.space.explicit else None

    def slot(self, index: Expr) -> Expr:
        """The coordinate with an index."""
        if self.space.explicit:
            return self.space.coordinates[int(index) - 1]
        return Component(self.space.coordinates[0], index)

    def position(self) -> Tensor:
        return Tensor(1, self.slot, self.dimension)

    def outer_normal(self) -> Tensor:
        n = Symbol("n", real=True)
        return Tensor(1, lambda i: Component(n, i), self.dimension)


def evaluate(expr: t.Expr, scope: Scope) -> Value:
    """The value of an expression, within the limits of size."""
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
            raise fail("E305", "a text is not a mathematical expression", expr.span)
        case t.Group(body=body):
            return evaluate(body, scope)
        case t.ListOf():
            return _list(expr, scope)
        case t.Norm(body=body):
            return norm(tensor(body, scope), scope)
        case t.Derivative():
            return _derivative(expr, scope)
        case t.Call():
            return _call(expr, scope)
        case t.Index():
            return _index(expr, scope)
        case t.Adjoint(body=body):
            return _adjoint(evaluate(body, scope), expr)
        case t.Prefix():
            return _prefix(expr, scope)
        case t.Power():
            return _power(expr, scope)
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
    """The value of an expression that must have components, and a given rank if there is one."""
    value = evaluate(expr, scope)
    if not isinstance(value, Tensor):
        way = "give it something to act on" if isinstance(value, LinearMap) else "give it its arguments in brackets"
        raise fail("E304", f"this is {an(shown(value))}, not a value", expr.span, way)
    if rank is not None and value.rank != rank:
        wanted = ("number", "vector", "matrix")[rank]
        raise fail("E302", f"expected a {wanted}, found {an(value.shown())}", expr.span)
    return value


def number(literal: t.Number) -> Rational:
    """An exact rational: `0.1` is one tenth."""
    exponent = literal.text.lower().partition("e")[2].lstrip("+-0")
    value = Decimal(literal.text) if len(exponent) < 6 else Decimal(0)
    if len(exponent) >= 6 or (value and abs(value.adjusted()) > LARGEST):
        raise fail(
            "E108", "this number is too large or too small", literal.span, "numbers lie between 1e-308 and 1e308"
        )
    exact = Fraction(value)
    return Rational(exact.numerator, exact.denominator)


# ---- names, calls and indices


def _name(name: t.Name, scope: Scope) -> Value:
    if name.id in scope.local:
        return scope.local[name.id]
    if name.id in scope.indices:
        return scalar(scope.indices[name.id])
    if name.id == "n" and scope.normal:
        return scope.outer_normal()
    if name.id == "pi":
        return scalar(pi)
    layer = scope.names.layer(t.Call(name, (), span=name.span))
    if layer:
        return layer
    if name.id in FUNCTIONS or name.id == "softmax":
        return Map(name.text, lambda args, span: _function(name.id, args, span, scope), "its arguments")
    return scope.names.value(name)


def _call(call: t.Call, scope: Scope) -> Value:
    head = call.head
    if isinstance(head, t.Derivative) and isinstance(head.body, t.Name) and head.body.id not in scope.local:
        return _derivative_at(head, call, scope)
    if not isinstance(head, t.Name):
        return scale(evaluate(head, scope), _only(call, scope), call.span)
    layer = scope.names.layer(call)
    if layer:
        return layer
    if call.named:
        key, _ = call.named[0]
        raise fail("E306", f"'{head.text}' has no named arguments", key.span)
    if head.id in scope.local or head.id in scope.indices or head.id in FUNCTIONS or head.id in ("softmax", "pi"):
        value = _name(head, scope)
        if isinstance(value, Map):
            return value.call(tuple(evaluate(a, scope) for a in call.args), call.span)
        return factor_or_error(value, head, call, scope)
    if scope.names.callable(head):
        return scope.names.call(head, tuple(evaluate(a, scope) for a in call.args), call.span)
    return factor_or_error(scope.names.value(head), head, call, scope)


def factor_or_error(value: Value, head: t.Name, call: t.Call, scope: Scope) -> Value:
    """`λ(a - x)` can only be a product, since a bracketed sum is a factor; `σ(x)` looks like a call and is none."""
    if len(call.args) == 1 and isinstance(call.args[0], t.Sum):
        return scale(value, evaluate(call.args[0], scope), call.span)
    raise fail(
        "E304",
        f"'{head.text}' is {an(shown(value))}, not a function",
        call.span,
        f"write {head.text}*(…) for a product",
    )


def _only(call: t.Call, scope: Scope) -> Value:
    if len(call.args) != 1 or call.named:
        raise fail("E304", "this cannot be called", call.span, "write * for a product")
    return evaluate(call.args[0], scope)


def _function(name: str, args: tuple[Value, ...], span: Span, scope: Scope) -> Value:
    """A known function of numbers, or pointwise of a feature map."""
    if name == "softmax":
        return _softmax(args, span, scope)
    arity, function = FUNCTIONS[name]
    if len(args) != arity and not (arity < 0 and 2 <= len(args) <= MAX_CHOICES):
        wanted = {1: "one argument", -1: f"two to {MAX_CHOICES} arguments"}[arity]
        raise fail("E307", f"'{name}' takes {wanted}, found {len(args)}", span)
    values = []
    for arg in args:
        if not isinstance(arg, Tensor):
            raise fail("E304", f"'{name}' of {an(shown(arg))} is not defined", span)
        if name == "abs" and arg.rank:
            arg = norm(arg, scope)
        if arg.rank or arg.kind not in ("number", "channels"):
            raise fail("E302", f"'{name}' takes numbers, found {an(arg.shown())}", span)
        values.append(arg)
    kind = "channels" if any(v.kind == "channels" for v in values) else "number"
    return scalar(defined(function(*(v.expr for v in values)), span), kind)


def _softmax(args: tuple[Value, ...], span: Span, scope: Scope) -> Tensor:
    if len(args) != 1 or not isinstance(args[0], Tensor):
        raise fail("E307", "'softmax' takes one vector of scores", span, "as in softmax(W x)")
    scores = args[0]
    if scores.kind not in ("features", "number") or (scores.rank == 0 and scores.kind == "number"):
        raise fail(
            "E302", f"'softmax' takes a vector of scores, found {an(scores.shown())}", span, "as in softmax(W x)"
        )
    return scalar(Softmax(components(scores)), "simplex")


def components(value: Tensor) -> Expr:
    """All components in one expression: written out, or at a free index."""
    if value.rank == 0:
        return value.expr
    if value.size is None:
        return value.at(*(Symbol(f"i{-k}", integer=True) for k in range(value.rank)))
    indices = [Integer(i) for i in range(1, value.size + 1)]
    if value.rank == 1:
        return Tuple(*(value.at(i) for i in indices))
    return Tuple(*(Tuple(*(value.at(i, j) for j in indices)) for i in indices))


def defined(expr: Expr, span: Span) -> Expr:
    """An expression that has a real value."""
    if expr.has(zoo, nan, oo, -oo) or expr.is_real is False:
        raise fail(
            "E308", "this has no real value", span, "check for a division by zero or a root of a negative number"
        )
    return expr


def _index(expr: t.Index, scope: Scope) -> Value:
    body = evaluate(expr.body, scope)
    if isinstance(body, LinearMap):
        raise fail("E304", "an operator has no components", expr.span, "put a space before the bracket to apply it")
    if not isinstance(body, Tensor) or body.rank < len(expr.indices):
        raise fail("E302", f"{an(shown(body))} has no such component", expr.span)
    if body.rank > len(expr.indices):
        raise fail("E302", f"{an(body.shown())} needs {body.rank} indices", expr.span)
    indices = [index_of(i, body.size, scope) for i in expr.indices]
    return scalar(body.at(*indices), body.kind)


def index_of(expr: t.Expr, size: int | None, scope: Scope) -> Expr:
    match expr:
        case t.Number(text=text) if text.isdigit() and len(text) < 10:
            if not 1 <= int(text) <= (size or int(text)) or int(text) == 0:
                raise fail("E309", f"component {text} of a vector of size {size}", expr.span, "components count from 1")
            return Integer(int(text))
        case t.Name(id=name) if name in scope.indices:
            return scope.indices[name]
        case t.Name(text=name):
            raise fail("E201", f"unknown index '{name}'", expr.span, f"bind it by a sum, as in Σᵢ … or sum({name}, …)")
        case _:
            raise fail("E309", "an index is a whole number or the index of a sum", expr.span)


# ---- calculus


def _derivative(expr: t.Derivative, scope: Scope) -> Tensor:
    body = tensor(expr.body, scope)
    for wrt in _slots(expr):
        body = _partial(body, wrt, scope)
    return body


def _slots(expr: t.Derivative) -> list[t.Wrt]:
    """The variables of a derivative, each as often as its order."""
    if sum(w.order for w in expr.wrt) > MAX_ORDER:
        raise fail("E113", f"a derivative of order above {MAX_ORDER}", expr.span)
    return [w for w in expr.wrt for _ in range(w.order)]


def _partial(body: Tensor, wrt: t.Wrt, scope: Scope) -> Tensor:
    if wrt.name.id == "n" and scope.normal and not wrt.indices:
        return dot(scope.outer_normal(), gradient(body, scope, wrt.span), wrt.span)
    slot = slot_of(wrt, scope)
    return replace(body, at=lambda *i: bounded(lambda: differentiate(body.at(*i), slot), wrt.span))


def slot_of(wrt: t.Wrt, scope: Scope) -> Expr:
    """The variable of a derivative."""
    value = scope.names.value(wrt.name)
    if isinstance(value, Tensor) and value.rank == 0 and value.expr == scope.time and not wrt.indices:
        return scope.time
    if isinstance(value, Tensor) and wrt.indices and value.rank == 1 and _is_position(value, scope):
        return value.at(index_of(wrt.indices[0], value.size, scope))
    if isinstance(value, Tensor) and value.rank == 1 and value.size == 1:
        return value.at(Integer(1))
    if isinstance(value, Tensor) and value.rank == 0 and value.expr in scope.space.coordinates and not wrt.indices:
        return value.expr
    if isinstance(value, Tensor) and _is_position(value, scope):
        raise fail("E302", f"'{wrt.name.text}' has several components", wrt.span, f"write ∂/∂{wrt.name.text}₁ or ∇")
    raise fail("E310", f"'{wrt.name.text}' is neither a coordinate nor the time", wrt.span)


def _is_position(value: Tensor, scope: Scope) -> bool:
    return value.rank == 1 and value.at(Integer(1)) == scope.slot(Integer(1))


def _derivative_at(head: t.Derivative, call: t.Call, scope: Scope) -> Tensor:
    """`∂Y/∂t(x, 0)`: the derivative of an unknown, at other arguments."""
    assert isinstance(head.body, t.Name)
    value = scope.names.call(head.body, tuple(evaluate(a, scope) for a in call.args), call.span)
    if not isinstance(value, Tensor):
        raise fail("E304", f"{an(shown(value))} has no derivative", call.span)
    slots = [slot_of(w, scope) for w in _slots(head)]
    return replace(value, at=lambda *i: Partial(value.at(*i), *slots))


def gradient(body: Tensor, scope: Scope, span: Span) -> Tensor:
    if body.rank > 1:
        raise fail("E302", f"the gradient of {an(body.shown())} is not defined here", span)

    def at(*index: Expr) -> Expr:
        return bounded(lambda: differentiate(body.at(*index[:-1]), scope.slot(index[-1])), span)

    return Tensor(body.rank + 1, at, scope.dimension, body.kind)


def _prefix(expr: t.Prefix, scope: Scope) -> Tensor:
    body, span = tensor(expr.body, scope), expr.span
    match expr.operator:
        case "grad":
            return gradient(body, scope, span)
        case "hess":
            return gradient(gradient(body, scope, span), scope, span)
        case "div":
            return divergence(body, scope, span)
        case "lap":
            return replace(body, at=lambda *i: divergence(gradient(scalar(body.at(*i)), scope, span), scope, span).expr)
        case _:
            assert_never(expr.operator)


def divergence(body: Tensor, scope: Scope, span: Span) -> Tensor:
    if body.rank == 0:
        raise fail(
            "E302", f"the divergence of {an(body.shown())} is not defined", span, "∇· needs a vector, as in ∇·(κ∇u)"
        )
    if body.size != scope.dimension and None not in (body.size, scope.dimension):
        raise fail("E302", f"the divergence of {an(body.shown())} in dimension {scope.dimension}", span)

    def at(*index: Expr) -> Expr:
        def term(k: Expr) -> Expr:
            return differentiate(body.at(*index, k), scope.slot(k))

        return bounded(lambda: contract(term, scope.dimension), span)

    return Tensor(body.rank - 1, at, body.size if body.rank > 1 else None, body.kind)


def bounded(compute: Callable[[], Expr], span: Span) -> Expr:
    """An expression within the limits of size, or a mistake at its place."""
    try:
        return compute()
    except TooLarge as error:
        raise fail("E113", f"{error}", span, "split it by let, or write it in fewer terms") from None


def norm(value: Tensor, scope: Scope) -> Tensor:
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


def _total(expr: t.Total, scope: Scope) -> Tensor:
    kinds: list[str] = []
    if (scope.dimension or 1) ** (scope.sums + 1) > MAX_COPIES or scope.sums >= MAX_SUMS:
        raise fail("E113", "too many sums within each other", expr.span)

    def term(i: Expr) -> Expr:
        value = tensor(expr.body, replace(scope, indices={**scope.indices, expr.index.id: i}, sums=scope.sums + 1), 0)
        kinds.append(value.kind)
        return value.expr

    total = bounded(lambda: contract(term, scope.dimension), expr.span)
    return scalar(total, kinds[0])


# ---- algebra


def _list(expr: t.ListOf, scope: Scope) -> Tensor:
    items = [tensor(i, scope) for i in expr.items]
    if not items:
        raise fail("E309", "an empty list", expr.span)
    ranks = {i.rank for i in items}
    if ranks == {0} and all(i.kind == "number" for i in items):
        return vector(tuple(i.expr for i in items))
    if ranks == {1} and all(i.size == len(items) for i in items):
        indices = [Integer(i) for i in range(1, len(items) + 1)]
        return matrix(tuple(tuple(i.at(j) for j in indices) for i in items))
    if ranks == {1}:
        sizes = " and ".join(sorted({str(i.size) for i in items}))
        raise fail("E302", f"{len(items)} rows of size {sizes} make no square matrix", expr.span)
    raise fail("E302", "a list holds numbers, or the rows of a matrix", expr.span)


def _adjoint(value: Value, expr: t.Adjoint) -> Value:
    match value:
        case LinearMap():
            return value.adjoint()
        case Tensor(rank=2):
            return replace(value, at=lambda i, j: value.at(j, i))
        case _:
            raise fail("E302", f"{an(shown(value))} has no adjoint", expr.span, "only operators and matrices have one")


def _power(expr: t.Power, scope: Scope) -> Value:
    base = evaluate(expr.base, scope)
    exponent = tensor(expr.exponent, scope, 0)
    if isinstance(base, Map):
        inner = base
        return Map(inner.name, lambda a, s: _raised(inner.call(a, s), exponent, expr.span), inner.arity)
    return _raised(base, exponent, expr.span)


def _raised(base: Value, exponent: Tensor, span: Span) -> Tensor:
    if not isinstance(base, Tensor) or base.rank:
        hint = "write ‖v‖² for v·v" if isinstance(base, Tensor) and base.rank == 1 else ""
        raise fail("E302", f"a power of {an(shown(base))} is not defined", span, hint)
    if exponent.kind != "number" or base.kind not in ("number", "channels"):
        raise fail("E303", f"a power of {base.shown()} is not defined", span)
    b, e = base.expr, exponent.expr
    if e.is_Rational and (abs(e.p) > MAX_EXPONENT or e.q > MAX_EXPONENT):
        raise fail("E113", f"an exponent above {MAX_EXPONENT}", span, "write a smaller power")
    if b.is_Rational and e.is_Rational and abs(e) * max(b.p.bit_length(), b.q.bit_length()) > MAX_BITS:
        raise fail("E113", "this power is too large to be written out", span, "write a smaller power")
    return Tensor(0, lambda: defined(b**e, span), kind=base.kind, literal=base.literal and exponent.literal)


def _sum(expr: t.Sum, scope: Scope) -> Value:
    parts = [(-1 if sign == "-" else 1, evaluate(term, scope), term.span) for sign, term in expr.terms]
    if all(isinstance(v, LinearMap) for _, v, _ in parts):
        return _sum_of_maps([(s, v, span) for s, v, span in parts if isinstance(v, LinearMap)])
    for (_, value, _), (_, term) in zip(parts, expr.terms, strict=True):
        if not isinstance(value, Tensor):
            tensor(term, scope)
    return add([(s, v, span) for s, v, span in parts if isinstance(v, Tensor)])


def _sum_of_maps(parts: list[tuple[int, LinearMap, Span]]) -> LinearMap:
    return LinearMap(
        lambda x: add([(s, v.apply(x), span) for s, v, span in parts]),
        lambda: _sum_of_maps([(s, v.adjoint(), span) for s, v, span in parts]),
    )


def _product(expr: t.Product, scope: Scope) -> Value:
    """Segments between dots, each a chain of factors; dot products bind last, from left to right."""
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
        right = _chain(segment, scope)
        span = segments[0][0][1].span.to(segment[-1][1].span)
        value = _dotted(sign, value, right, span, scope)
    return value


def _dotted(sign: t.Times, left: Value, right: Value, span: Span, scope: Scope) -> Value:
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return scale(left, right, span)
    if sign == "·":
        return dot(left, right, span)
    if (left.rank, right.rank) != (2, 2):
        raise fail("E302", f"':' contracts two matrices, found {an(left.shown())} and {an(right.shown())}", span)
    rows = dot(left, Tensor(2, lambda i, j: right.at(j, i), right.size, right.kind), span)
    return scalar(contract(lambda i: rows.at(i, i), rows.size), rows.kind)


def _chain(factors: list[tuple[t.Times, t.Expr]], scope: Scope) -> Value:
    """Factors from right to left: numbers multiply, operators and functions act on what follows them."""
    values = [(sign, evaluate(f, scope), f.span) for sign, f in factors]
    for i, ((_, value, span), _) in enumerate(pairwise(values)):
        if isinstance(value, Map) and i + 2 != len(values):
            raise fail("E114", f"it is not clear where the argument of '{value.name}' ends", span, "add brackets")
    sign, result, span = values[-1]
    if sign == "/":
        result = reciprocal(result, span)
    for sign, value, place in reversed(values[:-1]):
        if sign == "/":
            value = reciprocal(value, place)
        span = place.to(span)
        result = value.call((result,), span) if isinstance(value, Map) else scale(value, result, span)
    return result


def reciprocal(value: Value, span: Span) -> Tensor:
    if not isinstance(value, Tensor) or value.rank or value.kind not in ("number", "channels"):
        raise fail("E302", f"a division by {an(shown(value))} is not defined", span)
    if value.expr == S.Zero:
        raise fail("E308", "a division by zero", span)
    return Tensor(0, lambda: 1 / value.expr, kind=value.kind, literal=value.literal)
