"""Exact numbers: `0.1` is one tenth, and an expression without a real value is a mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import assert_never

import sympy as sp
from sympy import Abs, E, Expr, Integer, Rational, S, Symbol, Tuple, log, nan, oo, pi, sqrt, zoo

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Space
from pdedsl.language import ast as t
from pdedsl.language.elaborate.limits import MAX_BITS, within_limits
from pdedsl.language.elaborate.scope import Scope, component, slot_of
from pdedsl.language.elaborate.values import (
    LinearMap,
    Map,
    Tensor,
    Value,
    add,
    dot,
    matrix,
    note,
    noted,
    scalar,
    scale,
    shown,
    vector,
)
from pdedsl.numerics.activations import ACTIVATIONS as RECORDS
from pdedsl.numerics.activations import OTHER_NAMES
from pdedsl.symbolic.calculus import contract, differentiate
from pdedsl.symbolic.functions import ACTIVATIONS, formula_of
from pdedsl.symbolic.rewrite import exponential
from pdedsl.symbolic.symbols import Partial, Softmax, TooLarge

# ---- numbers


LARGEST = 308  # decimal exponent of a number


def number(literal: t.Number) -> Rational:
    """An exact rational: `0.1` is one tenth."""
    exponent = literal.text.lower().partition("e")[2].lstrip("+-0")
    value = Decimal(literal.text) if len(exponent) < 6 else Decimal(0)
    if len(exponent) >= 6 or (value and abs(value.adjusted()) > LARGEST):
        raise errors.syntax.number_out_of_range(LARGEST, literal.span)
    exact = Fraction(value)
    return Rational(exact.numerator, exact.denominator)


def defined(expr: Expr, span: Span) -> Expr:
    """The expression; a mistake if it has no real value."""
    if expr.has(zoo, nan, oo, -oo) or expr.is_real is False:
        raise errors.types.no_real_value(span)
    return expr


def constant(expr: Expr, span: Span) -> Expr:
    """A constant number; a mistake if the expression is not one."""
    if not expr.is_number:
        raise errors.types.not_constant(span)
    within_limits(expr, span)
    return defined(expr, span)


# ---- algebra
# Lists, powers, quotients, adjoints, norms and chains of factors; sums and single products are in `values`.


MAX_EXPONENT = 1000


def listed(items: list[Tensor], span: Span) -> Tensor:
    """A vector of numbers, or a matrix of rows."""
    if not items:
        raise errors.types.empty_list(span)
    ranks = {i.rank for i in items}
    if ranks == {0} and all(i.kind == "number" for i in items):
        return vector(tuple(i.expr for i in items))
    if ranks == {1} and all(i.size == len(items) for i in items):
        indices = [Integer(i) for i in range(1, len(items) + 1)]
        return matrix(tuple(tuple(i.at(j) for j in indices) for i in items))
    if ranks == {1}:
        raise errors.types.no_square_matrix([i.size for i in items], span)
    raise errors.types.not_a_list(span)


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
            raise errors.types.no_adjoint(shown(value), span)


def power(base: Value, exponent: Tensor, span: Span, numbers: Mapping[Symbol, Expr]) -> Value:
    """`uⁿ`; for a function, the power of its result: `sin² x`. `numbers` are the values of the constants."""
    if isinstance(base, Map):
        if exponent.rank == 0 and exponent.expr.is_negative:
            raise errors.syntax.inverse(base.name, span)
        inner = base
        return Map(inner.name, lambda a, s: _raised(inner.call(a, s), exponent, span, numbers), inner.arity)
    return _raised(base, exponent, span, numbers)


def _raised(base: Value, exponent: Tensor, span: Span, numbers: Mapping[Symbol, Expr]) -> Tensor:
    if not isinstance(base, Tensor) or base.rank:
        raise errors.types.no_power(shown(base), isinstance(base, Tensor) and base.rank == 1, span)
    if exponent.kind != "number" or base.kind not in ("number", "channels"):
        raise errors.types.power_of_kind(base.shown(), span)
    b, e = base.expr, exponent.expr
    _within_powers(b.xreplace(numbers), e.xreplace(numbers), span)
    return Tensor(0, lambda: noted(defined(b**e, span)), kind=base.kind, literal=base.literal and exponent.literal)


def _within_powers(b: Expr, e: Expr, span: Span) -> None:
    if e.is_Rational and (abs(e.p) > MAX_EXPONENT or e.q > MAX_EXPONENT):
        raise errors.syntax.large_exponent(MAX_EXPONENT, span)
    if b.is_Rational and e.is_Rational and abs(e) * max(b.p.bit_length(), b.q.bit_length()) > MAX_BITS:
        raise errors.syntax.large_power(span)


def reciprocal(value: Value, span: Span) -> Tensor:
    if not isinstance(value, Tensor) or value.rank or value.kind not in ("number", "channels"):
        raise errors.types.division_by(shown(value), span)
    if value.expr == S.Zero:
        raise errors.types.division_by_zero(span)
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
            raise errors.syntax.argument_end(value.name, span, values[i + 1][2], values[-1][2])
    sign, result, span = values[-1]
    if sign == "/":
        result = reciprocal(result, span)
    for sign, value, place in reversed(values[:-1]):
        if sign == "/":
            value = reciprocal(value, place)
        between, span = Span(place.end, span.start), place.to(span)
        if isinstance(value, Tensor) and isinstance(result, Tensor) and value.rank == result.rank == 1:
            raise errors.types.no_product(value.shown(), result.shown(), True, span, between)
        result = value.call((result,), span) if isinstance(value, Map) else scale(value, result, span)
    return result


def dotted(sign: t.Times, left: Value, right: Value, span: Span) -> Value:
    """`v·w`, `A:B`."""
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return scale(left, right, span)
    if sign == "·":
        return dot(left, right, span)
    if (left.rank, right.rank) != (2, 2):
        raise errors.types.contracts_matrices(left.shown(), right.shown(), span)
    rows = dot(left, Tensor(2, lambda i, j: right.at(j, i), right.size, right.kind), span)
    return scalar(contract(lambda i: rows.at(i, i), rows.size), rows.kind)


# ---- calculus
# Derivatives of tensors: ∂, ∇, ∇· and Δ, in components that are computed on demand.


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
        raise errors.types.no_derivative(shown(value), span)
    _somewhere(scope, span)
    slots = [slot_of(w, scope) for w in _slots(head)]
    return replace(value, at=lambda *i: Partial(value.at(*i), *slots))


def _somewhere(scope: Scope, span: Span) -> None:
    """Refuses derivatives in constant expressions: these depend on no space."""
    if scope.constant:
        raise errors.types.not_constant(span)


def _slots(expr: t.Derivative) -> list[t.Wrt]:
    """The variables of a derivative, each repeated as often as its order."""
    if sum(w.order for w in expr.wrt) > MAX_ORDER:
        raise errors.syntax.high_order(MAX_ORDER, expr.span)
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
        raise errors.types.no_gradient(body.shown(), span)
    _written_alike(body, scope, span)

    def at(*index: Expr) -> Expr:
        return bounded(lambda: _differentiated(body.at(*index[:-1]), scope.slot(index[-1])), span)

    return Tensor(body.rank + 1, at, scope.dimension, body.kind)


def divergence(body: Tensor, scope: Scope, span: Span) -> Tensor:
    if body.rank == 0:
        raise errors.types.no_divergence(body.shown(), span)
    if body.size != scope.dimension and None not in (body.size, scope.dimension):
        raise errors.types.divergence_of_other_size(body.shown(), scope.dimension, span)
    _written_alike(body, scope, span)

    def at(*index: Expr) -> Expr:
        def term(k: Expr) -> Expr:
            return _differentiated(body.at(*index, k), scope.slot(k))

        return bounded(lambda: contract(term, scope.dimension), span)

    return Tensor(body.rank - 1, at, body.size if body.rank > 1 else None, body.kind)


def _written_alike(body: Tensor, scope: Scope, span: Span) -> None:
    """Refuses derivatives of a tensor of known size along coordinates that are not written out."""
    if body.rank and body.size is not None and scope.dimension is None:
        raise errors.types.coordinates_not_written_out(body.shown(), span)


def bounded(compute: Callable[[], Expr], span: Span) -> Expr:
    """The computed expression; a mistake at its place if it exceeds the limits of size."""
    try:
        return compute()
    except TooLarge as error:
        raise errors.syntax.beyond_limits(str(error), span) from None


# ---- functions
# Known functions by name, each from numbers to a number or pointwise on feature maps.


Numeric = Callable[..., sp.Expr]

ELEMENTARY = "log sqrt sin cos tan asin acos atan sinh cosh tanh erf sign".split()
RELU, SOFTPLUS = ACTIVATIONS["relu"], ACTIVATIONS["softplus"]

# On numbers these are composed of known functions; on feature maps they are separate layers.
COMPOSED: dict[str, Numeric] = {
    "softsign": partial(formula_of, RECORDS["softsign"]),
    "hardtanh": lambda x: 1 - RELU(2 - RELU(x + 1)),
    "mish": lambda x: x * sp.tanh(SOFTPLUS(x)),
}
# name: (number of arguments, -1 for two or more; function)
FUNCTIONS: dict[str, tuple[int, Numeric]] = {
    **{name: (1, getattr(sp, name)) for name in ELEMENTARY},
    "exp": (1, exponential),
    **{name: (1, cls) for name, cls in ACTIVATIONS.items()},
    **{name: (1, partial(formula_of, RECORDS[name])) for name in ("identity", "abs", "square")},
    **{name: (1, function) for name, function in COMPOSED.items()},
    "heaviside": (1, lambda x: sp.Heaviside(x)),
    "min": (-1, sp.Min),
    "max": (-1, sp.Max),
}
FUNCTIONS.update({other: FUNCTIONS[name] for other, name in OTHER_NAMES.items()})
OPERATORS = "grad div lap hess dot ddot norm adj sum diff pow".split()
RESERVED = {*FUNCTIONS, "softmax", "pi", *OPERATORS}


def pointwise(name: str) -> Numeric:
    """The function as it acts on feature maps."""
    return ACTIVATIONS[name] if name in COMPOSED else FUNCTIONS[name][1]


# ---- apply
# Known functions at their arguments: of numbers, or pointwise of a feature map.


EVERYWHERE = {"exp", "sin", "cos", "atan", "sinh", "cosh", "tanh", "erf"}  # real for every real number
MAX_CHOICES = 8  # arguments of min and max


def function_at(name: str, args: tuple[Value, ...], span: Span) -> Value:
    """A known function of numbers, or pointwise of a feature map."""
    if name == "softmax":
        return _softmax(args, span)
    arity, function = FUNCTIONS[name]
    if len(args) != arity and not (arity < 0 and 2 <= len(args) <= MAX_CHOICES):
        wanted = {1: "one argument", -1: f"2 to {MAX_CHOICES} arguments"}[arity]
        raise errors.types.wrong_number(name, wanted, len(args), span)
    values = []
    for arg in args:
        if not isinstance(arg, Tensor):
            raise errors.types.function_of(name, shown(arg), span)
        if name == "abs" and arg.rank:
            arg = norm(arg)
        if arg.rank or arg.kind not in ("number", "channels"):
            raise errors.types.takes_numbers(name, arg.shown(), span)
        values.append(arg)
    kind = "channels" if any(v.kind == "channels" for v in values) else "number"
    function = pointwise(name) if kind == "channels" else function
    result = function(*(v.expr for v in values))
    return scalar(noted(result if name in EVERYWHERE else defined(result, span)), kind)


def _softmax(args: tuple[Value, ...], span: Span) -> Tensor:
    if len(args) != 1 or not isinstance(args[0], Tensor):
        raise errors.types.softmax_of_scores(None, span)
    scores = args[0]
    if scores.kind not in ("features", "number") or (scores.rank == 0 and scores.kind == "number"):
        raise errors.types.softmax_of_scores(scores.shown(), span)
    return scalar(Softmax(components(scores)), "simplex")


# ---- expressions
# Syntax of an expression → its value, with every name, rank and size checked.


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
            raise errors.types.text_in_expression(expr.span)
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
        raise errors.types.not_a_value(shown(value), isinstance(value, LinearMap), expr.span)
    if rank is not None and value.rank != rank:
        wanted = ("number", "vector", "matrix")[rank]
        raise errors.types.wrong_rank(wanted, value.shown(), expr.span)
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
        raise errors.types.named_argument(head.text, key.span, given.span)
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
    raise errors.types.not_a_function(head.text, shown(value), call.span)


def _only(call: t.Call, scope: Scope) -> Value:
    if len(call.args) != 1 or call.named:
        raise errors.types.cannot_be_called(call.span)
    return evaluate(call.args[0], scope)


# ---- sums and products


def _total(expr: t.Total, scope: Scope) -> Tensor:
    kinds: list[str] = []
    if scope.constant:
        raise errors.types.not_constant(expr.span)
    if (scope.dimension or 1) ** (scope.sums + 1) > MAX_COPIES or scope.sums >= MAX_SUMS:
        raise errors.syntax.nested_sums(expr.span)

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
            raise errors.types.bias(term.text, term.span)
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


# ---- arguments
# Checks arguments against parameters: their number, their ranks, and their components.


def require_distinct(params: tuple[t.Name, ...]) -> None:
    for i, param in enumerate(params):
        if param in params[:i]:
            raise errors.names.parameter_twice(param.text, param.span)


def require_arity(name: t.Name, params: tuple[t.Name, ...], args: tuple[Value, ...], span: Span) -> None:
    if len(params) != len(args):
        timed = len(params) > 1 and params[-1].id == "t"
        raise errors.types.wrong_arguments(name.text, [p.text for p in params], len(args), timed, span)


def flat(param: t.Name, own: Value, value: Value, span: Span, space: Space | None) -> list[Expr]:
    """The components of an argument: a position has several."""
    if not isinstance(value, Tensor) or not isinstance(own, Tensor):
        raise errors.types.argument_not_a_value(param.text, shown(value), span)
    if own.rank == 1 and own.size is None:
        assert space
        same = value.rank == 1 and value.at(Integer(1)) == own.at(Integer(1))
        return [space.coordinates[0] if same else components(value)]
    wrong_rank = value.rank != own.rank and not (own.size == 1 and value.rank == 0)
    if wrong_rank or (own.rank == value.rank == 1 and value.size != own.size):
        raise errors.types.argument_shape(param.text, own.shown(), value.shown(), span)
    if own.rank == 1 and value.rank == 1:
        return [value.at(Integer(i)) for i in range(1, (own.size or 0) + 1)]
    return [value.expr]


def are_alike(own: list[Value], args: tuple[Value, ...]) -> bool:
    """Whether all arguments are numeric and have the ranks of the parameters."""
    return all(
        isinstance(a, Tensor) and isinstance(b, Tensor) and a.kind == b.kind == "number" and a.rank == b.rank
        for a, b in zip(own, args, strict=True)
    )
