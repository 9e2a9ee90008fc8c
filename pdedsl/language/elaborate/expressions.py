"""Elaboration of expressions → values; names, ranks and sizes are checked. Numbers are exact: `0.1` is one tenth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TypeGuard, assert_never

import sympy as sp
from sympy import Abs, Dummy, E, Expr, I, Integer, Rational, S, Symbol, Tuple, log, nan, oo, pi, sqrt, zoo

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Space, SpaceKind
from pdedsl.language import ast as t
from pdedsl.language.elaborate.curvilinear import inverse_scale, logarithmic_derivative, require_scalar
from pdedsl.language.elaborate.data_files import DATA_FUNCTIONS, data_expression
from pdedsl.language.elaborate.expression_limits import MAX_BITS, check_limits
from pdedsl.language.elaborate.point_sources import is_point_source, point_source
from pdedsl.language.elaborate.scope import Scope, derivative_slot, select_component
from pdedsl.language.elaborate.values import (
    Function,
    LinearMap,
    Tensor,
    Value,
    add,
    describe,
    dot,
    matrix,
    multiply,
    product_kind,
    require_defined,
    scalar,
    vector,
    with_domain,
)
from pdedsl.numerics.activations import ACTIVATIONS as RECORDS
from pdedsl.numerics.activations import OTHER_NAMES
from pdedsl.symbolic.calculus import contract, differentiate, fractional_laplacian, integrate
from pdedsl.symbolic.complex_numbers import (
    NoParts,
    conjugate,
    is_complex,
    join,
    modulus,
    real_and_imaginary,
    squared_modulus,
)
from pdedsl.symbolic.functions import ACTIVATIONS, formula_of
from pdedsl.symbolic.rewrite import exponential, product
from pdedsl.symbolic.symbols import Field, Partial, Softmax, TooLarge

# ---- Numbers


MAX_DECIMAL_EXPONENT = 308  # of a double


def exact_number(literal: t.Number) -> Rational:
    """An exact rational: `0.1` is one tenth."""
    exponent = literal.text.lower().partition("e")[2].lstrip("+-0")
    value = Decimal(literal.text) if len(exponent) < 6 else Decimal(0)
    if len(exponent) >= 6 or (value and abs(value.adjusted()) > MAX_DECIMAL_EXPONENT):
        raise errors.syntax.number_out_of_range(MAX_DECIMAL_EXPONENT, literal.span)
    exact = Fraction(value)
    return Rational(exact.numerator, exact.denominator)


def require_real(expr: Expr, span: Span) -> Expr:
    """The expression; an error if it has no real value."""
    if expr.has(zoo, nan, oo, -oo) or expr.is_real is False:
        raise errors.types.no_real_value(span)
    return expr


def require_parts(function: str, expr: Expr, span: Span) -> Expr:
    """A complex expression as a + i b; an error if its parts are not expanded."""
    try:
        value = join(real_and_imaginary(expr))
    except NoParts:
        raise errors.types.complex_argument(function, span) from None
    if value.has(zoo, nan, oo, -oo):
        raise errors.types.no_real_value(span)
    return value


def require_constant(expr: Expr, span: Span) -> Expr:
    """A constant number; an error if the expression is not constant."""
    if not expr.is_number:
        raise errors.types.not_constant(span)
    check_limits(expr, span)
    if is_complex(expr):
        raise errors.types.complex_constant(span)
    return require_real(expr, span)


# ---- Algebra


MAX_EXPONENT = 1000  # numerator and denominator of a rational exponent


def list_value(items: list[Tensor], span: Span) -> Tensor:
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
        raise errors.types.not_square([i.size for i in items], span)
    raise errors.types.invalid_list(span)


def components(value: Tensor) -> Expr:
    """All components in one expression: a tuple, or one component with a free index."""
    if value.rank == 0:
        return value.expr
    if value.size is None:
        return value.at(*(Symbol(f"i{-k}", integer=True) for k in range(value.rank)))
    indices = [Integer(i) for i in range(1, value.size + 1)]
    if value.rank == 1:
        return Tuple(*(value.at(i) for i in indices))
    return Tuple(*(Tuple(*(value.at(i, j) for j in indices)) for i in indices))


def norm(value: Tensor) -> Tensor:
    """|a|, the Euclidean norm ‖v‖ or the Frobenius norm ‖A‖."""
    match value.rank:
        case 0:
            return scalar(modulus(value.expr) if is_complex(value.expr) else Abs(value.expr), value.kind)
        case 1:
            dimension = value.size
            return scalar(sqrt(contract(lambda i: _square(value.at(i)), dimension)), value.kind)
        case _:
            size = value.size
            inner = contract(lambda i: contract(lambda j: _square(value.at(i, j)), size), size)
            return scalar(sqrt(inner), value.kind)


def _square(expr: Expr) -> Expr:
    """|z|²."""
    return squared_modulus(expr) if is_complex(expr) else expr**2


def adjoint(value: Value, span: Span) -> Value:
    match value:
        case LinearMap():
            return value.adjoint()
        case Tensor(rank=2):
            return replace(value, at=lambda i, j: value.at(j, i))
        case _:
            raise errors.types.no_adjoint(describe(value), span)


def power(base: Value, exponent: Tensor, span: Span, numbers: Mapping[Symbol, Expr]) -> Value:
    """`uⁿ`; for a function, the power of its result: `sin² x`. `numbers` are the values of the constants."""
    if isinstance(base, Function):
        if exponent.rank == 0 and exponent.expr.is_negative:
            raise errors.syntax.ambiguous_inverse(base.name, span)
        inner = base
        return Function(inner.name, lambda a, s: _scalar_power(inner.call(a, s), exponent, span, numbers), inner.arity)
    return _scalar_power(base, exponent, span, numbers)


def _scalar_power(base: Value, exponent: Tensor, span: Span, numbers: Mapping[Symbol, Expr]) -> Tensor:
    if not isinstance(base, Tensor) or base.rank:
        raise errors.types.invalid_power(describe(base), isinstance(base, Tensor) and base.rank == 1, span)
    if exponent.kind != "number" or base.kind not in ("number", "channels"):
        raise errors.types.power_of_probabilities(base.describe(), span)
    b, e = base.expr, exponent.expr
    _check_power_size(b.xreplace(numbers), e.xreplace(numbers), span)
    if is_complex(b) or is_complex(e):
        return scalar(_complex_power(b, e, span), base.kind)
    return Tensor(
        0, lambda: with_domain(require_real(b**e, span)), kind=base.kind, literal=base.literal and exponent.literal
    )


def _complex_power(b: Expr, e: Expr, span: Span) -> Expr:
    """zⁿ for an integer n, and e^z."""
    if e.is_Integer and e.is_negative:
        if b == S.Zero:
            raise errors.types.division_by_zero(span)
        with_domain(1 / squared_modulus(b))
    return require_parts("this power", b**e, span)


def _check_power_size(b: Expr, e: Expr, span: Span) -> None:
    if e.is_Rational and (abs(e.p) > MAX_EXPONENT or e.q > MAX_EXPONENT):
        raise errors.syntax.exponent_too_large(MAX_EXPONENT, span)
    if b.is_Rational and e.is_Rational and abs(e) * max(b.p.bit_length(), b.q.bit_length()) > MAX_BITS:
        raise errors.syntax.power_too_large(span)


def reciprocal(value: Value, span: Span) -> Tensor:
    if not isinstance(value, Tensor) or value.rank or value.kind not in ("number", "channels"):
        raise errors.types.invalid_divisor(describe(value), span)
    if value.expr == S.Zero:
        raise errors.types.division_by_zero(span)
    if is_complex(value.expr):
        return scalar(_complex_power(value.expr, S.NegativeOne, span), value.kind)
    return Tensor(0, lambda: with_domain(1 / value.expr), kind=value.kind, literal=value.literal)


def sum_of_maps(parts: list[tuple[int, LinearMap, Span]]) -> LinearMap:
    return LinearMap(
        lambda x, at: add([(s, v.apply(x, at), span) for s, v, span in parts]),
        lambda: sum_of_maps([(s, v.adjoint(), span) for s, v, span in parts]),
    )


def multiply_factors(values: list[tuple[t.ProductSign, Value, Span]]) -> Value:
    """The product of factors, from right to left: numbers multiply, operators and functions act on the next factor."""
    for i, ((_, value, span), _) in enumerate(pairwise(values)):
        if isinstance(value, Function) and i + 2 != len(values):
            raise errors.syntax.ambiguous_argument(value.name, span, values[i + 1][2], values[-1][2])
    sign, result, span = values[-1]
    if sign == "/":
        result = reciprocal(result, span)
    for sign, value, place in reversed(values[:-1]):
        if sign == "/":
            value = reciprocal(value, place)
        between, span = Span(place.end, span.start), place.to(span)
        if isinstance(value, Tensor) and isinstance(result, Tensor) and value.rank == result.rank == 1:
            raise errors.types.invalid_product(value.describe(), result.describe(), True, span, between)
        result = value.call((result,), span) if isinstance(value, Function) else multiply(value, result, span)
    return result


def dot_product(sign: t.ProductSign, left: Value, right: Value, span: Span) -> Value:
    """`v·w`, `A:B`."""
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return multiply(left, right, span)
    if sign == "·":
        return dot(left, right, span)
    if (left.rank, right.rank) != (2, 2):
        raise errors.types.invalid_contraction(left.describe(), right.describe(), span)
    rows = dot(left, Tensor(2, lambda i, j: right.at(j, i), right.size, right.kind), span)
    return scalar(contract(lambda i: rows.at(i, i), rows.size), rows.kind)


# ---- Calculus, in components that are computed on demand


MAX_DERIVATIVE_ORDER = 8  # physical equations have order 6 at most; the jet grows with the order


def _differentiate(body: Expr, slot: Expr) -> Expr:
    if body.has(log):
        require_defined((body,))
    return differentiate(body, slot)


def derivative(body: Tensor, expr: t.Derivative, scope: Scope) -> Tensor:
    """`∂²u/∂x∂y`: one variable after the other."""
    _require_space(scope, expr.span)
    for wrt in _derivative_variables(expr):
        body = _partial(body, wrt, scope)
    return body


def derivative_at_arguments(value: Value, head: t.Derivative, span: Span, scope: Scope) -> Tensor:
    """`∂Y/∂t(x, 0)`: the derivative of an unknown, at other arguments."""
    if not isinstance(value, Tensor):
        raise errors.types.no_derivative(describe(value), span)
    _require_space(scope, span)
    slots = [derivative_slot(w, scope) for w in _derivative_variables(head)]

    def at(*index: Expr) -> Expr:
        real, imaginary = real_and_imaginary(value.at(*index))
        return Partial(real, *slots) + (I * Partial(imaginary, *slots) if imaginary != 0 else S.Zero)

    return replace(value, at=at)


def _require_space(scope: Scope, span: Span) -> None:
    """Reports derivatives in constant expressions."""
    if scope.constant:
        raise errors.types.not_constant(span)


def _derivative_variables(expr: t.Derivative) -> list[t.DerivativeVariable]:
    """The variables of a derivative, each repeated as often as its order."""
    if sum(w.order for w in expr.wrt) > MAX_DERIVATIVE_ORDER:
        raise errors.syntax.order_too_high(MAX_DERIVATIVE_ORDER, expr.span)
    return [w for w in expr.wrt for _ in range(w.order)]


def _partial(body: Tensor, wrt: t.DerivativeVariable, scope: Scope) -> Tensor:
    if wrt.name.id == "n" and scope.normal and not wrt.indices:
        return directional_derivative(scope.outer_normal(), body, scope, wrt.span)
    slot = derivative_slot(wrt, scope)
    return replace(body, at=lambda *i: report_too_large(lambda: _differentiate(body.at(*i), slot), wrt.span))


def apply_prefix(operator: t.Operator, body: Tensor, span: Span, scope: Scope) -> Tensor:
    """`∇u`, `∇²u`, `∇·v`, `∇×v`, `Δu`."""
    _require_space(scope, span)
    match operator:
        case "grad":
            return gradient(body, scope, span)
        case "hess":
            return gradient(gradient(body, scope, span), scope, span)
        case "div":
            return divergence(body, scope, span)
        case "curl":
            return curl(body, scope, span)
        case "lap":
            require_scalar(scope.space.metric, body.rank, "Laplacian of a vector", span)
            return replace(body, at=lambda *i: divergence(gradient(scalar(body.at(*i)), scope, span), scope, span).expr)
        case _:
            assert_never(operator)


def gradient(body: Tensor, scope: Scope, span: Span) -> Tensor:
    if body.rank > 1:
        raise errors.types.no_gradient(body.describe(), span)
    _require_matching_components(body, scope, span)
    if body.rank and body.size != scope.dimension:
        raise errors.types.gradient_of_other_size(body.describe(), scope.dimension, span)

    metric = scope.space.metric
    require_scalar(metric, body.rank, "gradient of a vector", span)

    def at(*index: Expr) -> Expr:
        scale = inverse_scale(metric, index[-1])
        return report_too_large(lambda: scale * _differentiate(body.at(*index[:-1]), scope.slot(index[-1])), span)

    return Tensor(body.rank + 1, at, scope.dimension, body.kind)


def directional_derivative(direction: Tensor, body: Tensor, scope: Scope, span: Span) -> Tensor:
    """(v·∇)w = Σⱼ vⱼ ∂w/∂xⱼ, for each component of w."""
    if body.rank > 1:
        raise errors.types.no_gradient(body.describe(), span)
    _require_matching_components(body, scope, span)
    if direction.size != scope.dimension and None not in (direction.size, scope.dimension):
        raise errors.types.size_mismatch(direction.describe(), scope.position().describe(), span)

    metric = scope.space.metric
    require_scalar(metric, body.rank, "derivative of a vector", span)

    def at(*index: Expr) -> Expr:
        def term(k: Expr) -> Expr:
            return direction.at(k) * inverse_scale(metric, k) * _differentiate(body.at(*index), scope.slot(k))

        return report_too_large(lambda: contract(term, scope.dimension), span)

    return Tensor(body.rank, at, body.size, product_kind(direction, body, span))


def transposed_gradient(body: Tensor, scope: Scope, span: Span) -> Tensor:
    """`∇uᵀ` of a vector u: the matrix ∂uⱼ/∂xᵢ."""
    _require_space(scope, span)
    nabla = gradient(body, scope, span)
    return replace(nabla, at=lambda i, j: nabla.at(j, i))


def curl(body: Tensor, scope: Scope, span: Span) -> Tensor:
    """∇×v: a vector in three dimensions; in the plane, ∂v₂/∂x - ∂v₁/∂y of a vector, and (∂s/∂y, -∂s/∂x) of a scalar."""

    require_scalar(scope.space.metric, 1, "curl", span)

    def d(component: Expr, k: int) -> Expr:
        return report_too_large(lambda: _differentiate(component, scope.slot(Integer(k))), span)

    match scope.dimension, body.rank, body.size:
        case 2, 0, _:
            return Tensor(1, lambda i: d(body.expr, 2) if i == 1 else -d(body.expr, 1), 2, body.kind)
        case 2, 1, 2:
            v1, v2 = body.at(Integer(1)), body.at(Integer(2))
            return scalar(d(v2, 1) - d(v1, 2), body.kind)
        case 3, 1, 3:

            def at(i: Expr) -> Expr:
                j, k = int(i) % 3 + 1, (int(i) + 1) % 3 + 1
                return d(body.at(Integer(k)), j) - d(body.at(Integer(j)), k)

            return Tensor(1, at, 3, body.kind)
        case _:
            raise errors.types.no_curl(body.describe(), span)


# ---- Fractional Laplacian


MAX_FRACTIONAL_POWER = 4  # of the Laplacian, as of its integer powers


def fractional_power(body: Tensor, exponent: Expr, expr: t.FractionalLaplacian, scope: Scope) -> Tensor:
    """`(-Δ)^(3/4) u`; for an integer exponent the power of the Laplacian."""
    _require_space(scope, expr.span)
    space, s = scope.space, exponent.xreplace(scope.names.numbers)
    if not (s.is_number and s.is_real and 0 < s <= MAX_FRACTIONAL_POWER):
        raise errors.fractional.invalid_exponent(MAX_FRACTIONAL_POWER, expr.exponent.span)
    if s.is_Integer:
        for _ in range(int(s)):
            laplacian = apply_prefix("lap", body, expr.span, scope)
            body = replace(laplacian, at=lambda *i, f=laplacian: -f.at(*i))
        return body
    if space.kind is not SpaceKind.PHYSICAL or not space.explicit or not space.intervals:
        raise errors.fractional.off_domain(expr.span)
    if not all(i.periodic for i in space.intervals) or space.metric is not None:
        raise errors.fractional.on_bounded_domain(expr.span)

    def at(*index: Expr) -> Expr:
        value = report_too_large(lambda: fractional_laplacian(body.at(*index), s), expr.span)
        if value is None:
            raise errors.fractional.invalid_operand(expr.body.span)
        return value

    return replace(body, at=at)


# ---- Matrices


IDENTITY = "I"  # the identity matrix, where it is not declared
MATRIX_FUNCTIONS = ("sym", "tr")  # ½(A + Aᵀ) and Σᵢ Aᵢᵢ; their names are not reserved
CROSS_PRODUCT = "cross"  # v × w; its name is not reserved


def is_matrix_name(name: str, scope: Scope) -> bool:
    """Whether a name is I, sym, tr or cross: it is neither declared nor an index."""
    known = name in (*MATRIX_FUNCTIONS, CROSS_PRODUCT) or (name == IDENTITY and (scope.dimension or 0) > 1)
    return known and name not in scope.local and name not in scope.indices and scope.names.is_undeclared(name)


def _matrix_name(name: t.Name, scope: Scope) -> Value:
    if name.id == IDENTITY:
        return Tensor(2, lambda i, j: S.One if i == j else S.Zero, scope.dimension)
    if name.id == CROSS_PRODUCT:
        return Function(name.text, lambda args, span: cross_product(name.text, args, span), "two arguments")

    def apply(args: tuple[Value, ...], span: Span) -> Value:
        if len(args) != 1:
            raise errors.types.argument_count(name.text, "one argument", len(args), span)
        (value,) = args
        if not isinstance(value, Tensor) or value.rank != 2:
            raise errors.types.needs_matrix(name.text, describe(value), span)
        if name.id == "tr":
            return scalar(contract(lambda i: value.at(i, i), value.size), value.kind)
        return replace(value, at=lambda i, j: (value.at(i, j) + value.at(j, i)) / 2)

    return Function(name.text, apply, "one argument")


def cross_product(name: str, args: tuple[Value, ...], span: Span) -> Tensor:
    """v × w: a vector in three dimensions, the number v₁w₂ - v₂w₁ in two."""
    if len(args) != 2:
        raise errors.types.argument_count(name, "two arguments", len(args), span)
    v, w = args
    if not isinstance(v, Tensor) or not isinstance(w, Tensor) or v.rank != 1 or w.rank != 1:
        raise errors.types.invalid_cross_product(describe(v), describe(w), span)
    size, kind = v.size or w.size, product_kind(v, w, span)

    def minor(j: int, k: int) -> Expr:
        a, b, c, d = v.at(Integer(j)), w.at(Integer(k)), v.at(Integer(k)), w.at(Integer(j))
        return product(a, b) - product(c, d)

    if size not in (2, 3) or {v.size, w.size} - {size, None}:
        raise errors.types.invalid_cross_product(describe(v), describe(w), span)
    if size == 2:
        return scalar(minor(1, 2), kind)
    return Tensor(1, lambda i: minor(int(i) % 3 + 1, (int(i) + 1) % 3 + 1), 3, kind)


def divergence(body: Tensor, scope: Scope, span: Span) -> Tensor:
    if body.rank == 0:
        raise errors.types.no_divergence(body.describe(), span)
    if body.size != scope.dimension and None not in (body.size, scope.dimension):
        raise errors.types.divergence_of_other_size(body.describe(), scope.dimension, span)
    _require_matching_components(body, scope, span)

    metric = scope.space.metric
    require_scalar(metric, body.rank - 1, "divergence of a matrix", span)

    def at(*index: Expr) -> Expr:
        def term(k: Expr) -> Expr:
            component = body.at(*index, k)
            derivative = inverse_scale(metric, k) * _differentiate(component, scope.slot(k))
            if metric is None:
                return derivative
            return derivative + logarithmic_derivative(metric, k, scope.space.coordinates) * component

        return report_too_large(lambda: contract(term, scope.dimension), span)

    return Tensor(body.rank - 1, at, body.size if body.rank > 1 else None, body.kind)


def _require_matching_components(body: Tensor, scope: Scope, span: Span) -> None:
    """Reports derivatives of a tensor of known size if the space has no explicit coordinates."""
    if body.rank and body.size is not None and scope.dimension is None:
        raise errors.types.componentwise_derivative(body.describe(), span)


def report_too_large(compute: Callable[[], Expr], span: Span) -> Expr:
    """The computed expression; an error at its span if it exceeds the limits of size."""
    try:
        return compute()
    except TooLarge as error:
        raise errors.syntax.expansion_limit(str(error), span) from None


# ---- Functions


Numeric = Callable[..., sp.Expr]

ELEMENTARY = "log sqrt sin cos tan asin acos atan sinh cosh tanh erf sign".split()
RELU, SOFTPLUS = ACTIVATIONS["relu"], ACTIVATIONS["softplus"]

# On numbers these are compositions of other functions; on feature maps they are separate layers.
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
OPERATORS = "grad div curl lap hess dot ddot norm adj sum diff pow int fraclap".split()
RESERVED = {*FUNCTIONS, "softmax", "pi", *OPERATORS}


def pointwise_function(name: str) -> Numeric:
    """The function as it acts on feature maps."""
    return ACTIVATIONS[name] if name in COMPOSED else FUNCTIONS[name][1]


# ---- Application of functions


REAL_EVERYWHERE = {"exp", "sin", "cos", "atan", "sinh", "cosh", "tanh", "erf"}  # real-valued on the real line
MAX_MIN_MAX_ARGUMENTS = 8  # arguments of min and max


def apply_function(name: str, args: tuple[Value, ...], span: Span) -> Value:
    """A built-in function of numbers, or pointwise of a feature map."""
    if name == "softmax":
        return _softmax(args, span)
    arity, function = FUNCTIONS[name]
    if len(args) != arity and not (arity < 0 and 2 <= len(args) <= MAX_MIN_MAX_ARGUMENTS):
        expected = {1: "one argument", -1: f"2 to {MAX_MIN_MAX_ARGUMENTS} arguments"}[arity]
        raise errors.types.argument_count(name, expected, len(args), span)
    values = []
    for arg in args:
        if not isinstance(arg, Tensor):
            raise errors.types.invalid_function_argument(name, describe(arg), span)
        if name == "abs" and arg.rank:
            arg = norm(arg)
        if arg.rank or arg.kind not in ("number", "channels"):
            raise errors.types.needs_scalars(name, arg.describe(), span)
        values.append(arg)
    if name != "abs" and any(is_complex(v.expr) for v in values):
        return scalar(_complex_function(name, [v.expr for v in values], span))
    kind = "channels" if any(v.kind == "channels" for v in values) else "number"
    function = pointwise_function(name) if kind == "channels" else function
    result = function(*(v.expr for v in values))
    return scalar(with_domain(result if name in REAL_EVERYWHERE else require_real(result, span)), kind)


ENTIRE_FUNCTIONS = ("exp", "sin", "cos", "sinh", "cosh", "square", "identity")  # with expanded parts


def _complex_function(name: str, args: list[Expr], span: Span) -> Expr:
    """exp, sin, cos, sinh or cosh of a complex number."""
    if name not in ENTIRE_FUNCTIONS:
        raise errors.types.complex_argument(name, span)
    return require_parts(name, FUNCTIONS[name][1](*args), span)


# Functions of complex numbers; their names are not reserved.
COMPLEX_FUNCTIONS: dict[str, Numeric] = {
    "conj": conjugate,
    **dict.fromkeys(("Re", "re"), lambda z: real_and_imaginary(z)[0]),
    **dict.fromkeys(("Im", "im"), lambda z: real_and_imaginary(z)[1]),
}
IMAGINARY_UNIT = "i"


def is_complex_name(name: str, scope: Scope) -> bool:
    """Whether a name is i, conj, Re or Im of a spec with a complex unknown: it is neither declared nor an index."""
    return (
        (name == IMAGINARY_UNIT or name in COMPLEX_FUNCTIONS)
        and name not in scope.local
        and name not in scope.indices
        and scope.names.is_undeclared(name)
        and scope.names.has_complex_unknown()
    )


def _complex_name(name: t.Name) -> Value:
    if name.id == IMAGINARY_UNIT:
        return scalar(I)

    def apply(args: tuple[Value, ...], span: Span) -> Value:
        if len(args) != 1:
            raise errors.types.argument_count(name.text, "one argument", len(args), span)
        (value,) = args
        if not isinstance(value, Tensor):
            raise errors.types.invalid_function_argument(name.text, describe(value), span)
        return replace(value, at=lambda *i: COMPLEX_FUNCTIONS[name.id](value.at(*i)), literal=False)

    return Function(name.text, apply, "one argument")


def _softmax(args: tuple[Value, ...], span: Span) -> Tensor:
    if len(args) != 1 or not isinstance(args[0], Tensor):
        raise errors.types.invalid_softmax(None, span)
    scores = args[0]
    if scores.kind not in ("features", "number") or (scores.rank == 0 and scores.kind == "number"):
        raise errors.types.invalid_softmax(scores.describe(), span)
    return scalar(Softmax(components(scores)), "simplex")


# ---- Expressions


MAX_NESTED_SUMS = 4  # nested Σ
MAX_SUM_TERMS = 300  # of an expanded sum


def evaluate(expr: t.Expr, scope: Scope) -> Value:
    """The value of an expression; checks the limits of size."""
    value = _evaluate(expr, scope)
    if isinstance(value, Tensor) and value.rank == 0:
        check_limits(value.expr, expr.span)
    return value


def _evaluate(expr: t.Expr, scope: Scope) -> Value:
    match expr:
        case t.Number():
            return scalar(exact_number(expr), literal=True)
        case t.Fraction(value=(a, b)):
            return scalar(Rational(a, b), literal=True)
        case t.Name():
            return _name(expr, scope)
        case t.String():
            raise errors.types.string_in_expression(expr.span)
        case t.Group(body=body):
            return evaluate(body, scope)
        case t.ListExpr(items=items):
            return list_value([tensor(i, scope) for i in items], expr.span)
        case t.Norm(body=body):
            return norm(tensor(body, scope))
        case t.Derivative(body=body):
            return derivative(tensor(body, scope), expr, scope)
        case t.Call():
            return _call(expr, scope)
        case t.Index(body=body):
            return select_component(evaluate(body, scope), expr, scope)
        case t.Adjoint(body=body):
            return adjoint(evaluate(body, scope), expr.span)
        case t.Prefix(operator="grad", body=t.Adjoint(body=body)) if _is_vector(vector := evaluate(body, scope)):
            return transposed_gradient(vector, scope, expr.span)
        case t.Prefix(operator=operator, body=body):
            return apply_prefix(operator, tensor(body, scope), expr.span, scope)
        case t.FractionalLaplacian(exponent=exponent, body=body):
            return fractional_power(tensor(body, scope), tensor(exponent, scope, 0).expr, expr, scope)
        case t.Power(base=base, exponent=exponent):
            return power(evaluate(base, scope), tensor(exponent, scope, 0), expr.span, scope.names.numbers)
        case t.Negation(body=body):
            return multiply(scalar(S.NegativeOne), evaluate(body, scope), expr.span)
        case t.Summation():
            return _summation(expr, scope)
        case t.Integral():
            return _integral(expr, scope)
        case t.Product():
            return _product(expr, scope)
        case t.Sum():
            return _sum(expr, scope)
        case _:
            assert_never(expr)


def _is_vector(value: Value) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.rank == 1


def tensor(expr: t.Expr, scope: Scope, rank: int | None = None) -> Tensor:
    """The value of an expression that must be a tensor, of rank `rank` unless it is None."""
    value = evaluate(expr, scope)
    if not isinstance(value, Tensor):
        raise errors.types.not_a_value(describe(value), isinstance(value, LinearMap), expr.span)
    if rank is not None and value.rank != rank:
        expected = ("number", "vector", "matrix")[rank]
        raise errors.types.rank_mismatch(expected, value.describe(), expr.span)
    return value


# ---- Names and calls


def _name(name: t.Name, scope: Scope) -> Value:
    if name.id in scope.local:
        return scope.local[name.id]
    if name.id in scope.indices:
        return scalar(scope.indices[name.id])
    if name.id == "n" and scope.normal:
        return scope.outer_normal()
    if name.id == "pi":
        return scalar(pi)
    if name.id == "e" and scope.names.is_undeclared("e"):
        return scalar(E)
    if is_complex_name(name.id, scope):
        return _complex_name(name)
    if is_matrix_name(name.id, scope):
        return _matrix_name(name, scope)
    layer = scope.names.layer(t.Call(name, (), span=name.span))
    if layer:
        return layer
    if name.id in FUNCTIONS or name.id == "softmax":
        return Function(name.text, lambda args, span: apply_function(name.id, args, span), "its arguments")
    return scope.names.value(name)


def _call(call: t.Call, scope: Scope) -> Value:
    head = call.head
    if isinstance(head, t.Derivative) and isinstance(head.body, t.Name) and head.body.id not in scope.local:
        value = scope.names.call(head.body, tuple(evaluate(a, scope) for a in call.args), call.span)
        return derivative_at_arguments(value, head, call.span, scope)
    if not isinstance(head, t.Name):
        return multiply(evaluate(head, scope), _single_argument(call, scope), call.span)
    layer = scope.names.layer(call)
    if layer:
        return layer
    if head.id in DATA_FUNCTIONS and scope.names.is_undeclared(head.id) and head.id not in scope.local:
        return scalar(data_expression(call, scope))
    if is_point_source(head.id, scope) and not call.named:
        if len(call.args) != 1:
            raise errors.types.argument_count(head.text, "one argument", len(call.args), call.span)
        return scalar(point_source(tensor(call.args[0], scope, 0).expr, call.args[0].span, scope))
    if call.named:
        key, argument = call.named[0]
        raise errors.types.named_argument(head.text, key.span, argument.span)
    known = head.id in scope.local or head.id in scope.indices or head.id in FUNCTIONS or head.id in ("softmax", "pi")
    if known or is_complex_name(head.id, scope) or is_matrix_name(head.id, scope):
        value = _name(head, scope)
        if isinstance(value, Function):
            return value.call(tuple(evaluate(a, scope) for a in call.args), call.span)
        return product_or_error(value, head, call, scope)
    if scope.names.callable(head):
        return scope.names.call(head, tuple(evaluate(a, scope) for a in call.args), call.span)
    return product_or_error(scope.names.value(head), head, call, scope)


def product_or_error(value: Value, head: t.Name, call: t.Call, scope: Scope) -> Value:
    """`λ(a - x)` is a product, since λ is not a function; `σ(x)` looks like a call, and is an error."""
    if len(call.args) == 1 and isinstance(call.args[0], t.Sum):
        return multiply(value, evaluate(call.args[0], scope), call.span)
    raise errors.types.not_a_function(head.text, describe(value), call.span)


def _single_argument(call: t.Call, scope: Scope) -> Value:
    if len(call.args) != 1 or call.named:
        raise errors.types.cannot_be_called(call.span)
    return evaluate(call.args[0], scope)


# ---- Sums over components


def _summation(expr: t.Summation, scope: Scope) -> Tensor:
    kinds: list[str] = []
    if scope.constant:
        raise errors.types.not_constant(expr.span)
    if (scope.dimension or 1) ** (scope.sums + 1) > MAX_SUM_TERMS or scope.sums >= MAX_NESTED_SUMS:
        raise errors.syntax.too_many_nested_sums(expr.span)

    def term(i: Expr) -> Expr:
        value = tensor(expr.body, replace(scope, indices={**scope.indices, expr.index.id: i}, sums=scope.sums + 1), 0)
        kinds.append(value.kind)
        return value.expr

    total = report_too_large(lambda: contract(term, scope.dimension), expr.span)
    return scalar(total, kinds[0])


# ---- Integrals


MAX_NESTED_INTEGRALS = 4  # each level multiplies the number of quadrature nodes
DOMAIN = "Omega"


def _integral(expr: t.Integral, scope: Scope) -> Tensor:
    if scope.constant:
        raise errors.types.not_constant(expr.span)
    if scope.space.kind is not SpaceKind.PHYSICAL or not scope.space.explicit:
        raise errors.types.integral_off_domain(expr.span)
    if scope.integrals >= MAX_NESTED_INTEGRALS:
        raise errors.syntax.too_many_nested_integrals(MAX_NESTED_INTEGRALS, expr.span)
    scope = replace(scope, integrals=scope.integrals + 1)
    return _domain_integral(expr, scope) if expr.upper is None else _definite_integral(expr, expr.upper, scope)


def _domain_integral(expr: t.Integral, scope: Scope) -> Tensor:
    """`∫_Ω u dx`: over all coordinates of the space."""
    space = scope.space
    if not (isinstance(expr.lower, t.Name) and expr.lower.id == DOMAIN and scope.names.is_undeclared(DOMAIN)):
        raise errors.syntax.missing_upper_limit(expr.lower.span)
    if space.inequalities:
        raise errors.types.integral_over_inequalities(expr.span)
    if _integration_variable(expr.variable, scope) not in space.coordinates:
        raise errors.types.not_a_coordinate_of_domain(expr.variable.text, space.names, expr.variable.span)
    body, volume = tensor(expr.body, scope), S.One if space.metric is None else space.metric.volume
    value = body if space.metric is None else replace(body, at=lambda *i: volume * body.at(*i))
    for x, interval in zip(space.coordinates, space.intervals, strict=True):
        value = _integrate_components(value, x, interval.start, interval.end, expr)
    return value


def _definite_integral(expr: t.Integral, upper: t.Expr, scope: Scope) -> Tensor:
    limits = [tensor(e, scope, 0).expr for e in (expr.lower, upper)]
    for limit, place in zip(limits, (expr.lower, upper), strict=True):
        if limit.has(Field) or is_complex(limit):
            raise errors.types.invalid_limit(place.span)
    variable = _integration_variable(expr.variable, scope)
    if variable is None:  # it is not a coordinate
        variable = Dummy(expr.variable.id, real=True)
        scope = replace(scope, local={**scope.local, expr.variable.id: scalar(variable)})
    return _integrate_components(tensor(expr.body, scope), variable, limits[0], limits[1], expr)


def _integration_variable(name: t.Name, scope: Scope) -> Symbol | None:
    """The coordinate or time of this name; None for a new variable. Other declared names are errors."""
    if name.id in scope.local or scope.names.is_undeclared(name.id):
        if name.id in RESERVED:
            raise errors.names.reserved_name(name.text, name.span)
        return None
    value = scope.names.value(name)
    known = (*scope.space.coordinates, scope.time)
    if not isinstance(value, Tensor) or value.rank or value.expr not in known:
        raise errors.types.invalid_integration_variable(name.text, describe(value), name.span)
    return value.expr


def _integrate_components(value: Tensor, variable: Symbol, lower: Expr, upper: Expr, expr: t.Integral) -> Tensor:
    if value.kind != "number":
        raise errors.types.needs_scalars("int", value.describe(), expr.body.span)

    def at(*index: Expr) -> Expr:
        def integral() -> Expr:
            real, imaginary = real_and_imaginary(value.at(*index))
            parts = [integrate(part, variable, lower, upper) for part in (real, imaginary)]
            return parts[0] + I * parts[1]

        return report_too_large(integral, expr.span)

    return replace(value, at=at, literal=False)


# ---- Sums


def _sum(expr: t.Sum, scope: Scope) -> Value:
    parts: list[tuple[int, Value, Span]] = []
    for sign, term in expr.terms:
        scores = any(isinstance(v, Tensor) and v.kind == "features" for _, v, _ in parts)
        if scores and isinstance(term, t.Name) and term.id not in scope.local and scope.names.is_undeclared(term.id):
            raise errors.types.explicit_bias(term.text, term.span)
        parts.append((-1 if sign == "-" else 1, evaluate(term, scope), term.span))
    if all(isinstance(v, LinearMap) for _, v, _ in parts):
        return sum_of_maps([(s, v, span) for s, v, span in parts if isinstance(v, LinearMap)])
    for (_, value, _), (_, term) in zip(parts, expr.terms, strict=True):
        if not isinstance(value, Tensor):
            tensor(term, scope)
    return add([(s, v, span) for s, v, span in parts if isinstance(v, Tensor)])


def _product(expr: t.Product, scope: Scope) -> Value:
    """Operands of dots, each a product of factors; dots have the lowest precedence, from left to right."""
    segments: list[list[tuple[t.ProductSign, t.Expr]]] = [[]]
    dots: list[t.ProductSign] = []
    for sign, factor in expr.factors:
        if sign in ("·", ":"):
            dots.append(sign)
            segments.append([])
            sign = ""
        segments[-1].append((sign, factor))
    value = _multiply(segments[0], scope)
    for sign, segment in zip(dots, segments[1:], strict=True):
        match sign, value, segment:
            case "·", Tensor(rank=1), [(_, t.Prefix(operator="grad", body=body))] if not isinstance(body, t.Adjoint):
                of, span = tensor(body, scope), segments[0][0][1].span.to(segment[-1][1].span)
                if of.rank == 1:
                    value = directional_derivative(value, of, scope, span)
                    continue
        right = _transposed_gradient(value, _multiply(segment, scope), segment[0][1])
        span = segments[0][0][1].span.to(segment[-1][1].span)
        value = dot_product(sign, value, right, span)
    return value


def _transposed_gradient(left: Value, right: Value, first: t.Expr) -> Value:
    """`v·∇w` of a vector w is (v·∇)w = Σⱼ vⱼ ∂w/∂xⱼ: the contraction is with ∇."""
    match left, right, first:
        case Tensor(rank=1), Tensor(rank=2), t.Prefix(operator="grad"):
            return replace(right, at=lambda i, j: right.at(j, i))
        case _:
            return right


def _multiply(factors: list[tuple[t.ProductSign, t.Expr]], scope: Scope) -> Value:
    return multiply_factors([(sign, evaluate(f, scope), f.span) for sign, f in factors])


# ---- Arguments


def require_distinct(params: tuple[t.Name, ...]) -> None:
    for i, param in enumerate(params):
        if param in params[:i]:
            raise errors.names.duplicate_argument(param.text, param.span)


def require_arity(name: t.Name, params: tuple[t.Name, ...], args: tuple[Value, ...], span: Span) -> None:
    if len(params) != len(args):
        timed = len(params) > 1 and params[-1].id == "t"
        raise errors.types.declared_argument_count(name.text, [p.text for p in params], len(args), timed, span)


def argument_components(param: t.Name, own: Value, value: Value, span: Span, space: Space | None) -> list[Expr]:
    """The components of an argument: a position has several."""
    if not isinstance(value, Tensor) or not isinstance(own, Tensor):
        raise errors.types.argument_not_a_value(param.text, describe(value), span)
    if own.rank == 1 and own.size is None:
        assert space
        same = value.rank == 1 and value.at(Integer(1)) == own.at(Integer(1))
        return [space.coordinates[0] if same else components(value)]
    wrong_rank = value.rank != own.rank and not (own.size == 1 and value.rank == 0)
    if wrong_rank or (own.rank == value.rank == 1 and value.size != own.size):
        raise errors.types.argument_shape_mismatch(param.text, own.describe(), value.describe(), span)
    if own.rank == 1 and value.rank == 1:
        return [value.at(Integer(i)) for i in range(1, (own.size or 0) + 1)]
    return [value.expr]


def have_parameter_ranks(own: list[Value], args: tuple[Value, ...]) -> bool:
    """Whether all arguments are numeric and have the ranks of the parameters."""
    return all(
        isinstance(a, Tensor) and isinstance(b, Tensor) and a.kind == b.kind == "number" and a.rank == b.rank
        for a, b in zip(own, args, strict=True)
    )
