"""Construction of expressions such that Unicode and ASCII spellings give the same tree: parentheses, products, and the
operators that ASCII writes as functions.

Parentheses are a Group wherever Unicode needs them, except where `dot(…)` or `sum(…)` imply them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.language import ast as t
from pdedsl.language.names import FRACTION_SIGNS, canonical_name, parse_subscript, parse_superscript

Factors = Sequence[tuple[t.ProductSign, t.Expr]]
DOT_FUNCTIONS: dict[t.ProductSign, str] = {"·": "dot", ":": "ddot"}
_VARIABLE = re.compile(r"∂([^∂₀-₉ᵢⱼₖ-ₙ⁻⁰¹²³⁴-⁹]+)([₀-₉ᵢⱼₖ-ₙ]*)([⁰¹²³⁴-⁹]*)")
INFIX_KEYWORDS = frozenset(("in", "on", "for", "by", "from", "periodic", "antiperiodic"))


def make_name(text: str, span: Span) -> t.Name:
    """A name; a keyword inside a derivative, ∂u/∂in, is an error."""
    if text in INFIX_KEYWORDS:
        raise errors.names.reserved_name(text, span)
    return t.Name(canonical_name(text), str(text), span=span)


def index_nodes(subscript: str, span: Span) -> tuple[t.Expr, ...]:
    return tuple(t.Number(i, span=span) if i.isdigit() else t.Name(i, i, span=span) for i in parse_subscript(subscript))


# ---- Parentheses


UNAPPLIED_NABLA = "∇"  # before it is applied: the ∇ in (u·∇)w


def parenthesize(body: t.Expr) -> t.Expr:
    """The body of a function-style operator, as written after a sign: `grad(u + v)` is `∇(u + v)`."""
    return body if isinstance(body, (*t.ATOMS, t.Group)) else t.Group(body, span=body.span)


def strip_parentheses(expr: t.Expr) -> t.Expr:
    """An expression without its parentheses."""
    return expr.body if isinstance(expr, t.Group) else expr


def has_dot(expr: t.Expr) -> bool:
    return isinstance(expr, t.Product) and any(sign in DOT_FUNCTIONS for sign, _ in expr.factors)


def strip_implied_parentheses(expr: t.Expr) -> t.Expr:
    """A term without the parentheses that `dot(…)` and `sum(…)` imply."""
    body = strip_parentheses(expr)
    return body if isinstance(body, t.Summation) or has_dot(body) else expr


def prefix_operand(operator: t.Operator, body: t.Expr) -> t.Expr:
    """The operand of ∇ or Δ: `grad(lap(u))` is `∇Δu`, and `∇u²` is `∇(u²)`; ∇∇ is the Hessian."""
    inner = strip_parentheses(body)
    if isinstance(inner, t.Prefix) and (operator in ("div", "curl", "lap") or inner.operator == "lap"):
        return inner
    return parenthesize(body)


def parenthesize_prefix(expr: t.Expr) -> t.Expr:
    """The expression, parenthesized if it is a prefix operator: in ASCII, `grad(u) > 0` is `(∇u) > 0`."""
    return parenthesize(expr) if isinstance(expr, t.Prefix | t.FractionalLaplacian) else expr


def parenthesize_transpose_exponent(exponent: t.Expr) -> t.Expr:
    """An exponent with parentheses around the T of `K^(T)²`, which would otherwise be parsed as the transpose of K."""
    return replace(exponent, base=t.Group(exponent.base)) if isinstance(exponent, t.Power) else t.Group(exponent)


def operator_depth(body: object) -> int:
    """The depth of nested operators and parentheses: in ASCII each is a pair of parentheses."""
    count = 0
    while isinstance(body, t.Prefix | t.Group | t.Derivative | t.FractionalLaplacian):
        body, count = body.body, count + 1
    return count


def parenthesize_leading_derivative(expr: t.Expr) -> t.Expr:
    """The expression with a leading derivative in parentheses: `/∂u/∂t(x, 0)` would be the denominator of a ∂(…)."""
    match expr:
        case t.Call(head=t.Derivative()) | t.Derivative():
            return t.Group(expr)
        case t.Call(head=head):
            return replace(expr, head=parenthesize_leading_derivative(head))
        case t.Index(body=body) | t.Adjoint(body=body):
            return replace(expr, body=parenthesize_leading_derivative(body))
        case t.Power(base=base):
            return replace(expr, base=parenthesize_leading_derivative(base))
        case _:
            return expr


# ---- Derivatives


def make_derivative(body: t.Expr, order: str, denominator: str, span: Span) -> t.Derivative:
    """`∂ⁿ body / denominator`, where `order` is ⁿ and `denominator` is `∂x²∂y`."""
    wrt = merge_repeated_variables([_derivative_variable_from_match(m, span) for m in _VARIABLE.finditer(denominator)])
    numerator_order, denominator_order = parse_superscript(order) if order else 1, sum(w.order for w in wrt)
    if not all(w.order for w in wrt):
        raise errors.syntax.order_zero(span)
    if numerator_order != denominator_order:
        raise errors.syntax.order_mismatch(numerator_order, denominator_order, span)
    return t.Derivative(body, wrt, span=span)


def _derivative_variable_from_match(match: re.Match[str], span: Span) -> t.DerivativeVariable:
    name, indices, order = match.groups()
    at = index_nodes(indices, span) if indices else ()
    return t.DerivativeVariable(make_name(name.strip(), span), at, parse_superscript(order) if order else 1, span=span)


def merge_repeated_variables(wrt: Sequence[t.DerivativeVariable]) -> tuple[t.DerivativeVariable, ...]:
    """`∂x∂x` becomes `∂x²`: diff(u, x, x) has no explicit orders."""
    merged: list[t.DerivativeVariable] = []
    for w in wrt:
        if merged and (merged[-1].name, merged[-1].indices) == (w.name, w.indices):
            w = replace(w, order=merged.pop().order + w.order)
        merged.append(w)
    return tuple(merged)


# ---- Products


def make_product(factors: Factors) -> t.Expr:
    """A product, with a leading `1/2` in either operand of its dot as `½`; an ambiguous product is an error."""
    at = _dot_position(factors)
    *first, (sign, last) = [*_fold_fraction(factors[:at]), *_fold_fraction(factors[at:])]
    factors = [*first, (sign, strip_parentheses(last) if isinstance(strip_parentheses(last), t.Summation) else last)]
    _check_divisions(factors)
    if len(factors) == 1:
        return factors[0][1]
    return t.Product(tuple(factors), span=factors[0][1].span.to(factors[-1][1].span))


def _dot_position(factors: Factors) -> int:
    """The index of the right operand of the dot, or the end if there is no dot."""
    dots = [i for i, (sign, _) in enumerate(factors) if sign in DOT_FUNCTIONS]
    if len(dots) > 1:
        spans = [factor.span for _, factor in factors]
        raise errors.syntax.ambiguous_dots(spans[dots[0] - 1], spans[dots[0]].to(spans[dots[1] - 1]), spans[dots[1]])
    return dots[0] if dots else len(factors)


def _fold_fraction(factors: Factors) -> Factors:
    match factors:
        case [(sign, t.Number(text=a) as above), ("/", t.Number(text=b) as below), *rest] if (
            a.isdigit() and b.isdigit()
        ):
            over = (int(a), int(b)) if len(a) + len(b) < 4 else (0, 0)
            adjacent = rest and (rest[0][0] == "/" or rest[0][1].span.start == below.span.end)
            if over in FRACTION_SIGNS and not adjacent:
                return [(sign, t.Fraction(over, span=above.span.to(below.span))), *rest]
    return factors


def _check_divisions(factors: Factors) -> None:
    for (_, above), (sign, below), (after, factor) in zip(factors, factors[1:], factors[2:], strict=False):
        if sign == "/" and (after == "/" or (after == "" and not _ends_denominator(below, factor))):
            raise errors.syntax.ambiguous_division(above.span, below.span, factor.span)


def _ends_denominator(below: t.Expr, factor: t.Expr) -> bool:
    """Whether a denominator clearly ends before the next factor: `1/2 Δu`, `(1-p)/(2p) x`, `1/(500π)² ∂²u/∂x²`."""
    if isinstance(below, t.Group | t.Integral):
        return True
    base = below.base if isinstance(below, t.Power) else below
    number = isinstance(base, t.Number | t.Fraction | t.Group) or (isinstance(base, t.Name) and base.id == "pi")
    return number and factor.span.start > below.span.end


def apply_advection(factors: Factors) -> Factors:
    """`(u·∇)w` is `u·∇w`: the operator acts on the factor after it."""
    result: Factors = []
    for sign, factor in reversed(factors):
        front = _unapplied_gradient(factor)
        if front is None:
            result = [(sign, factor), *result]
        elif not result or result[0][0]:
            raise errors.syntax.missing_operand(factor.span)
        else:
            span = factor.span.to(result[0][1].span)
            gradient = t.Prefix("grad", prefix_operand("grad", result[0][1]), span=span)
            result = [(sign, t.Group(t.Product((*front, ("·", gradient)), span=span), span=span)), *result[1:]]
    return result


def _unapplied_gradient(factor: t.Expr) -> Sequence[tuple[t.ProductSign, t.Expr]] | None:
    match factor:
        case t.Group(body=t.Product(factors=(*front, ("·", t.Name(id="∇"))))):
            return front
    return None


# ---- Operators that ASCII writes as functions


def make_call(call: t.Call) -> t.Expr:
    """A call; `u₁(x, 0)` is `u(x, 0)₁`, and `∂u₁/∂t(x, 0)` is `∂u/∂t(x, 0)₁`."""
    match call.head:
        case t.Index(body=t.Name() as name, indices=indices):
            return t.Index(replace(call, head=name), indices, span=call.span)
        case t.Derivative(body=t.Index(body=t.Name() as name, indices=indices)) as derivative:
            return t.Index(replace(call, head=replace(derivative, body=name)), indices, span=call.span)
        case _:
            return make_operator_call(call)


def make_operator_call(call: t.Call) -> t.Expr:
    """A call, or the operator that it denotes: `grad(u)` is `∇u`."""
    if not (isinstance(call.head, t.Name) and call.head.id in FUNCTION_STYLE_OPERATORS):
        return call
    arity, build = FUNCTION_STYLE_OPERATORS[call.head.id]
    if call.named or (len(call.args) != arity if arity > 0 else len(call.args) < -arity):
        raise errors.syntax.operator_arguments(call.head.id, abs(arity), arity > 0, call.span)
    return build(call)


def _prefix_builder(operator: t.Operator) -> Callable[[t.Call], t.Expr]:
    return lambda call: t.Prefix(operator, prefix_operand(operator, call.args[0]), span=call.span)


def _dot_builder(sign: t.ProductSign) -> Callable[[t.Call], t.Expr]:
    def build(call: t.Call) -> t.Expr:
        left, right = map(_dot_operand, call.args)
        before = [(s, parenthesize(f) if isinstance(f, t.Summation) else f) for s, f in left]
        (_, first), *after = right
        return t.Group(t.Product((*before, (sign, first), *after), span=call.span), span=call.span)

    return build


def _dot_operand(expr: t.Expr) -> Factors:
    """The factors of an operand of a dot product; a sum, or an operand with another dot, is parenthesized."""
    if isinstance(expr, t.Product) and not has_dot(expr):
        return expr.factors
    return [("", parenthesize(expr) if isinstance(expr, t.Sum | t.Product) else expr)]


def _make_summation(call: t.Call) -> t.Expr:
    index, body = call.args
    if not isinstance(index, t.Name):
        raise errors.syntax.sum_index(index.span)
    body = parenthesize(body) if isinstance(body, t.Sum) else body
    return t.Group(t.Summation(index, body, span=call.span), span=call.span)


def _make_integral(call: t.Call) -> t.Expr:
    """`int(a, b, body, s)`, and `int(Omega, body, x)`."""
    *limits, body, variable = call.args
    if len(limits) > 2:
        raise errors.syntax.operator_arguments("int", 4, True, call.span)
    if not isinstance(variable, t.Name):
        raise errors.syntax.integration_variable(variable.span)
    lower, upper = (*map(strip_parentheses, limits), None)[:2]
    assert lower is not None
    return t.Integral(lower, upper, strip_parentheses(body), variable, span=call.span)


def _make_fractional_laplacian(call: t.Call) -> t.Expr:
    """`fraclap(3/4, u)` is `(-Δ)^(3/4) u`."""
    exponent, body = call.args
    return t.FractionalLaplacian(strip_parentheses(exponent), parenthesize(body), span=call.span)


def _make_diff(call: t.Call) -> t.Expr:
    body, *variables = call.args
    return t.Derivative(
        parenthesize(body), merge_repeated_variables([_derivative_variable(v) for v in variables]), span=call.span
    )


def _derivative_variable(expr: t.Expr) -> t.DerivativeVariable:
    match expr:
        case t.Name():
            return t.DerivativeVariable(expr, (), 1, span=expr.span)
        case t.Index(body=t.Name() as name, indices=indices):
            return t.DerivativeVariable(name, indices, 1, span=expr.span)
        case _:
            raise errors.syntax.diff_variables(expr.span)


FUNCTION_STYLE_OPERATORS: dict[str, tuple[int, Callable[[t.Call], t.Expr]]] = {
    "grad": (1, _prefix_builder("grad")),
    "div": (1, _prefix_builder("div")),
    "curl": (1, _prefix_builder("curl")),
    "lap": (1, _prefix_builder("lap")),
    "hess": (1, _prefix_builder("hess")),
    "dot": (2, _dot_builder("·")),
    "ddot": (2, _dot_builder(":")),
    "pow": (2, lambda call: t.Power(parenthesize(call.args[0]), parenthesize(call.args[1]), span=call.span)),
    "norm": (1, lambda call: t.Norm(call.args[0], span=call.span)),
    "adj": (1, lambda call: t.Adjoint(parenthesize(call.args[0]), span=call.span)),
    "sum": (2, _make_summation),
    "int": (-3, _make_integral),
    "fraclap": (2, _make_fractional_laplacian),
    "diff": (-2, _make_diff),  # negative: minimum number of arguments
}
