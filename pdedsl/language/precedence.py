"""Rules by which Unicode and ASCII spellings give the same tree: where brackets are kept, what a product is, and the
operators that ASCII writes as functions.

A bracket is a Group wherever Unicode needs one, except where `dot(…)` or `sum(…)` already imply it.
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
INFIX_KEYWORDS = frozenset(("in", "on", "for", "by", "from", "periodic"))


def make_name(text: str, span: Span) -> t.Name:
    """A name; inside a derivative even a keyword is scanned as one: ∂u/∂in."""
    if text in INFIX_KEYWORDS:
        raise errors.names.word_of_the_language(text, span)
    return t.Name(canonical_name(text), str(text), span=span)


def index_nodes(subscript: str, span: Span) -> tuple[t.Expr, ...]:
    return tuple(t.Number(i, span=span) if i.isdigit() else t.Name(i, i, span=span) for i in parse_subscript(subscript))


# ---- brackets


UNAPPLIED_NABLA = "∇"  # before it is applied: the ∇ in (u·∇)w


def parenthesize(body: t.Expr) -> t.Expr:
    """The body of a function-style operator, as it would be written after a sign: `grad(u + v)` is `∇(u + v)`."""
    return body if isinstance(body, (*t.ATOMS, t.Group)) else t.Group(body, span=body.span)


def strip_parentheses(expr: t.Expr) -> t.Expr:
    """An expression without its brackets."""
    return expr.body if isinstance(expr, t.Group) else expr


def has_dot(expr: t.Expr) -> bool:
    return isinstance(expr, t.Product) and any(sign in DOT_FUNCTIONS for sign, _ in expr.factors)


def strip_implied_parentheses(expr: t.Expr) -> t.Expr:
    """A summand without the brackets that `dot(…)` and `sum(…)` imply."""
    body = strip_parentheses(expr)
    return body if isinstance(body, t.Summation) or has_dot(body) else expr


def prefix_operand(operator: t.Operator, body: t.Expr) -> t.Expr:
    """The operand of ∇ or Δ: `grad(lap(u))` is `∇Δu`, and `∇u²` is `∇(u²)`; ∇∇ is the Hessian."""
    inner = strip_parentheses(body)
    if isinstance(inner, t.Prefix) and (operator in ("div", "lap") or inner.operator == "lap"):
        return inner
    return parenthesize(body)


def parenthesize_prefix(expr: t.Expr) -> t.Expr:
    """The expression, bracketed if it is a prefix operator, in ASCII a call: `grad(u) > 0` is `(∇u) > 0`."""
    return parenthesize(expr) if isinstance(expr, t.Prefix) else expr


def parenthesize_transpose_exponent(exponent: t.Expr) -> t.Expr:
    """An exponent with brackets around the T of `K^(T)²`, which would otherwise be read as the transpose of K."""
    return replace(exponent, base=t.Group(exponent.base)) if isinstance(exponent, t.Power) else t.Group(exponent)


def operator_depth(body: object) -> int:
    """The depth of nested operators and brackets: in ASCII each is a pair of brackets."""
    count = 0
    while isinstance(body, t.Prefix | t.Group | t.Derivative):
        body, count = body.body, count + 1
    return count


def parenthesize_leading_derivative(expr: t.Expr) -> t.Expr:
    """The expression with brackets around a leading derivative: `/∂u/∂t(x, 0)` would be read as the end of a ∂(…)."""
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


# ---- derivatives


def make_derivative(body: t.Expr, order: str, below: str, span: Span) -> t.Derivative:
    """`∂ⁿ body / below`, where `order` is ⁿ and `below` is `∂x²∂y`."""
    wrt = merge_repeated_variables([_derivative_variable_from_match(m, span) for m in _VARIABLE.finditer(below)])
    above, under = parse_superscript(order) if order else 1, sum(w.order for w in wrt)
    if not all(w.order for w in wrt):
        raise errors.syntax.order_zero(span)
    if above != under:
        raise errors.syntax.orders_differ(above, under, span)
    return t.Derivative(body, wrt, span=span)


def _derivative_variable_from_match(found: re.Match[str], span: Span) -> t.DerivativeVariable:
    name, indices, order = found.groups()
    at = index_nodes(indices, span) if indices else ()
    return t.DerivativeVariable(make_name(name.strip(), span), at, parse_superscript(order) if order else 1, span=span)


def merge_repeated_variables(wrt: Sequence[t.DerivativeVariable]) -> tuple[t.DerivativeVariable, ...]:
    """`∂x∂x` becomes `∂x²`: diff(u, x, x) has no explicit orders."""
    found: list[t.DerivativeVariable] = []
    for w in wrt:
        if found and (found[-1].name, found[-1].indices) == (w.name, w.indices):
            w = replace(w, order=found.pop().order + w.order)
        found.append(w)
    return tuple(found)


# ---- products


def make_product(factors: Factors) -> t.Expr:
    """A product, with a leading `1/2` on either side of its dot turned into `½`; an ambiguous product is an error."""
    at = _dot_position(factors)
    *first, (sign, last) = [*_fold_fraction(factors[:at]), *_fold_fraction(factors[at:])]
    factors = [*first, (sign, strip_parentheses(last) if isinstance(strip_parentheses(last), t.Summation) else last)]
    _check_divisions(factors)
    if len(factors) == 1:
        return factors[0][1]
    return t.Product(tuple(factors), span=factors[0][1].span.to(factors[-1][1].span))


def _dot_position(factors: Factors) -> int:
    """The index at which the right side of the dot starts, or the end if there is no dot."""
    dots = [i for i, (sign, _) in enumerate(factors) if sign in DOT_FUNCTIONS]
    if len(dots) > 1:
        spans = [factor.span for _, factor in factors]
        raise errors.syntax.two_dots(spans[dots[0] - 1], spans[dots[0]].to(spans[dots[1] - 1]), spans[dots[1]])
    return dots[0] if dots else len(factors)


def _fold_fraction(factors: Factors) -> Factors:
    match factors:
        case [(sign, t.Number(text=a) as above), ("/", t.Number(text=b) as below), *rest] if (
            a.isdigit() and b.isdigit()
        ):
            over = (int(a), int(b)) if len(a) + len(b) < 4 else (0, 0)
            touching = rest and (rest[0][0] == "/" or rest[0][1].span.start == below.span.end)
            if over in FRACTION_SIGNS and not touching:
                return [(sign, t.Fraction(over, span=above.span.to(below.span))), *rest]
    return factors


def _check_divisions(factors: Factors) -> None:
    for (_, above), (sign, below), (after, factor) in zip(factors, factors[1:], factors[2:], strict=False):
        if sign == "/" and (after == "/" or (after == "" and not _ends_denominator(below, factor))):
            raise errors.syntax.two_divisions(above.span, below.span, factor.span)


def _ends_denominator(below: t.Expr, factor: t.Expr) -> bool:
    """Whether a denominator clearly ends before the next factor: `1/2 Δu`, `(1-p)/(2p) x`."""
    apart = factor.span.start > below.span.end
    return isinstance(below, t.Group) or (isinstance(below, t.Number | t.Fraction) and apart)


def apply_advection(factors: Factors) -> Factors:
    """`(u·∇)w` is `u·∇w`: the operator acts on the factor after it."""
    found: Factors = []
    for sign, factor in reversed(factors):
        front = _unapplied_gradient(factor)
        if front is None:
            found = [(sign, factor), *found]
        elif not found or found[0][0]:
            raise errors.syntax.acts_on_nothing(factor.span)
        else:
            span = factor.span.to(found[0][1].span)
            slope = t.Prefix("grad", prefix_operand("grad", found[0][1]), span=span)
            found = [(sign, t.Group(t.Product((*front, ("·", slope)), span=span), span=span)), *found[1:]]
    return found


def _unapplied_gradient(factor: t.Expr) -> Sequence[tuple[t.ProductSign, t.Expr]] | None:
    match factor:
        case t.Group(body=t.Product(factors=(*front, ("·", t.Name(id="∇"))))):
            return front
    return None


# ---- operators that ASCII writes as functions


def make_call(call: t.Call) -> t.Expr:
    """A call; `u₁(x, 0)` is `u(x, 0)₁`, and `∂u₁/∂t(x, 0)` is `∂u/∂t(x, 0)₁`."""
    match call.head:
        case t.Index(body=t.Name() as name, indices=indices):
            return t.Index(replace(call, head=name), indices, span=call.span)
        case t.Derivative(body=t.Index(body=t.Name() as name, indices=indices)) as slope:
            return t.Index(replace(call, head=replace(slope, body=name)), indices, span=call.span)
        case _:
            return make_operator_call(call)


def make_operator_call(call: t.Call) -> t.Expr:
    """A call, or the operator that it denotes if its head is one of the words below."""
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
    """The factors of a side of a dot product; a sum, or a side with another dot, is put in brackets."""
    if isinstance(expr, t.Product) and not has_dot(expr):
        return expr.factors
    return [("", parenthesize(expr) if isinstance(expr, t.Sum | t.Product) else expr)]


def _make_summation(call: t.Call) -> t.Expr:
    index, body = call.args
    if not isinstance(index, t.Name):
        raise errors.syntax.index_of_sum(index.span)
    body = parenthesize(body) if isinstance(body, t.Sum) else body
    return t.Group(t.Summation(index, body, span=call.span), span=call.span)


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
            raise errors.syntax.not_a_variable(expr.span)


FUNCTION_STYLE_OPERATORS: dict[str, tuple[int, Callable[[t.Call], t.Expr]]] = {
    "grad": (1, _prefix_builder("grad")),
    "div": (1, _prefix_builder("div")),
    "lap": (1, _prefix_builder("lap")),
    "hess": (1, _prefix_builder("hess")),
    "dot": (2, _dot_builder("·")),
    "ddot": (2, _dot_builder(":")),
    "pow": (2, lambda call: t.Power(parenthesize(call.args[0]), parenthesize(call.args[1]), span=call.span)),
    "norm": (1, lambda call: t.Norm(call.args[0], span=call.span)),
    "adj": (1, lambda call: t.Adjoint(parenthesize(call.args[0]), span=call.span)),
    "sum": (2, _make_summation),
    "diff": (-2, _make_diff),  # negative: at least so many
}
