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
from pdedsl.language.names import FRACTION_OF, identity, lowered, raised

Factors = Sequence[tuple[t.Times, t.Expr]]
DOTS: dict[t.Times, str] = {"·": "dot", ":": "ddot"}
_VARIABLE = re.compile(r"∂([^∂₀-₉ᵢⱼₖ-ₙ⁻⁰¹²³⁴-⁹]+)([₀-₉ᵢⱼₖ-ₙ]*)([⁰¹²³⁴-⁹]*)")
KEYWORDS = frozenset(("in", "on", "for", "by", "from", "periodic"))


def named(text: str, span: Span) -> t.Name:
    """A name; inside a derivative even a keyword is scanned as one: ∂u/∂in."""
    if text in KEYWORDS:
        raise errors.names.word_of_the_language(text, span)
    return t.Name(identity(text), str(text), span=span)


def indices_of(subscript: str, span: Span) -> tuple[t.Expr, ...]:
    return tuple(t.Number(i, span=span) if i.isdigit() else t.Name(i, i, span=span) for i in lowered(subscript))


# ---- brackets


NABLA = "∇"  # before it is applied: the ∇ in (u·∇)w


def bracketed(body: t.Expr) -> t.Expr:
    """The body of a function-style operator, as it would be written after a sign: `grad(u + v)` is `∇(u + v)`."""
    return body if isinstance(body, (*t.ATOMS, t.Group)) else t.Group(body, span=body.span)


def inside(expr: t.Expr) -> t.Expr:
    """An expression without its brackets."""
    return expr.body if isinstance(expr, t.Group) else expr


def dotted(expr: t.Expr) -> bool:
    return isinstance(expr, t.Product) and any(sign in DOTS for sign, _ in expr.factors)


def freed(expr: t.Expr) -> t.Expr:
    """A summand without the brackets that `dot(…)` and `sum(…)` imply."""
    body = inside(expr)
    return body if isinstance(body, t.Total) or dotted(body) else expr


def operand(operator: t.Operator, body: t.Expr) -> t.Expr:
    """The operand of ∇ or Δ: `grad(lap(u))` is `∇Δu`, and `∇u²` is `∇(u²)`; ∇∇ is the Hessian."""
    inner = inside(body)
    if isinstance(inner, t.Prefix) and (operator in ("div", "lap") or inner.operator == "lap"):
        return inner
    return bracketed(body)


def tight(expr: t.Expr) -> t.Expr:
    """The expression, bracketed if it is a prefix operator, in ASCII a call: `grad(u) > 0` is `(∇u) > 0`."""
    return bracketed(expr) if isinstance(expr, t.Prefix) else expr


def first_bracketed(exponent: t.Expr) -> t.Expr:
    """An exponent with brackets around the T of `K^(T)²`, which would otherwise be read as the transpose of K."""
    return replace(exponent, base=t.Group(exponent.base)) if isinstance(exponent, t.Power) else t.Group(exponent)


def chained(body: object) -> int:
    """The depth of nested operators and brackets: in ASCII each is a pair of brackets."""
    count = 0
    while isinstance(body, t.Prefix | t.Group | t.Derivative):
        body, count = body.body, count + 1
    return count


def shielded(expr: t.Expr) -> t.Expr:
    """The expression with brackets around a leading derivative: `/∂u/∂t(x, 0)` would be read as the end of a ∂(…)."""
    match expr:
        case t.Call(head=t.Derivative()) | t.Derivative():
            return t.Group(expr)
        case t.Call(head=head):
            return replace(expr, head=shielded(head))
        case t.Index(body=body) | t.Adjoint(body=body):
            return replace(expr, body=shielded(body))
        case t.Power(base=base):
            return replace(expr, base=shielded(base))
        case _:
            return expr


# ---- derivatives


def derivative(body: t.Expr, order: str, below: str, span: Span) -> t.Derivative:
    """`∂ⁿ body / below`, where `order` is ⁿ and `below` is `∂x²∂y`."""
    wrt = merged([_wrt(m, span) for m in _VARIABLE.finditer(below)])
    above, under = raised(order) if order else 1, sum(w.order for w in wrt)
    if not all(w.order for w in wrt):
        raise errors.syntax.order_zero(span)
    if above != under:
        raise errors.syntax.orders_differ(above, under, span)
    return t.Derivative(body, wrt, span=span)


def _wrt(found: re.Match[str], span: Span) -> t.Wrt:
    name, indices, order = found.groups()
    at = indices_of(indices, span) if indices else ()
    return t.Wrt(named(name.strip(), span), at, raised(order) if order else 1, span=span)


def merged(wrt: Sequence[t.Wrt]) -> tuple[t.Wrt, ...]:
    """`∂x∂x` becomes `∂x²`: diff(u, x, x) has no explicit orders."""
    found: list[t.Wrt] = []
    for w in wrt:
        if found and (found[-1].name, found[-1].indices) == (w.name, w.indices):
            w = replace(w, order=found.pop().order + w.order)
        found.append(w)
    return tuple(found)


# ---- products


def product(factors: Factors) -> t.Expr:
    """A product, with a leading `1/2` on either side of its dot turned into `½`; an ambiguous product is an error."""
    at = _dot(factors)
    *first, (sign, last) = [*_halved(factors[:at]), *_halved(factors[at:])]
    factors = [*first, (sign, inside(last) if isinstance(inside(last), t.Total) else last)]
    _check_divisions(factors)
    if len(factors) == 1:
        return factors[0][1]
    return t.Product(tuple(factors), span=factors[0][1].span.to(factors[-1][1].span))


def _dot(factors: Factors) -> int:
    """The index at which the right side of the dot starts, or the end if there is no dot."""
    dots = [i for i, (sign, _) in enumerate(factors) if sign in DOTS]
    if len(dots) > 1:
        spans = [factor.span for _, factor in factors]
        raise errors.syntax.two_dots(spans[dots[0] - 1], spans[dots[0]].to(spans[dots[1] - 1]), spans[dots[1]])
    return dots[0] if dots else len(factors)


def _halved(factors: Factors) -> Factors:
    match factors:
        case [(sign, t.Number(text=a) as above), ("/", t.Number(text=b) as below), *rest] if (
            a.isdigit() and b.isdigit()
        ):
            over = (int(a), int(b)) if len(a) + len(b) < 4 else (0, 0)
            touching = rest and (rest[0][0] == "/" or rest[0][1].span.start == below.span.end)
            if over in FRACTION_OF and not touching:
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


def advected(factors: Factors) -> Factors:
    """`(u·∇)w` is `u·∇w`: the operator acts on the factor after it."""
    found: Factors = []
    for sign, factor in reversed(factors):
        front = _waiting(factor)
        if front is None:
            found = [(sign, factor), *found]
        elif not found or found[0][0]:
            raise errors.syntax.acts_on_nothing(factor.span)
        else:
            span = factor.span.to(found[0][1].span)
            slope = t.Prefix("grad", operand("grad", found[0][1]), span=span)
            found = [(sign, t.Group(t.Product((*front, ("·", slope)), span=span), span=span)), *found[1:]]
    return found


def _waiting(factor: t.Expr) -> Sequence[tuple[t.Times, t.Expr]] | None:
    match factor:
        case t.Group(body=t.Product(factors=(*front, ("·", t.Name(id="∇"))))):
            return front
    return None


# ---- operators that ASCII writes as functions


def called(call: t.Call) -> t.Expr:
    """A call; `u₁(x, 0)` is `u(x, 0)₁`, and `∂u₁/∂t(x, 0)` is `∂u/∂t(x, 0)₁`."""
    match call.head:
        case t.Index(body=t.Name() as name, indices=indices):
            return t.Index(replace(call, head=name), indices, span=call.span)
        case t.Derivative(body=t.Index(body=t.Name() as name, indices=indices)) as slope:
            return t.Index(replace(call, head=replace(slope, body=name)), indices, span=call.span)
        case _:
            return applied(call)


def applied(call: t.Call) -> t.Expr:
    """A call, or the operator that it denotes if its head is one of the words below."""
    if not (isinstance(call.head, t.Name) and call.head.id in WORDS):
        return call
    arity, build = WORDS[call.head.id]
    if call.named or (len(call.args) != arity if arity > 0 else len(call.args) < -arity):
        raise errors.syntax.operator_arguments(call.head.id, abs(arity), arity > 0, call.span)
    return build(call)


def _prefix(operator: t.Operator) -> Callable[[t.Call], t.Expr]:
    return lambda call: t.Prefix(operator, operand(operator, call.args[0]), span=call.span)


def _times(sign: t.Times) -> Callable[[t.Call], t.Expr]:
    def build(call: t.Call) -> t.Expr:
        left, right = map(_side, call.args)
        before = [(s, bracketed(f) if isinstance(f, t.Total) else f) for s, f in left]
        (_, first), *after = right
        return t.Group(t.Product((*before, (sign, first), *after), span=call.span), span=call.span)

    return build


def _side(expr: t.Expr) -> Factors:
    """The factors of a side of a dot product; a sum, or a side with another dot, is put in brackets."""
    if isinstance(expr, t.Product) and not dotted(expr):
        return expr.factors
    return [("", bracketed(expr) if isinstance(expr, t.Sum | t.Product) else expr)]


def _total(call: t.Call) -> t.Expr:
    index, body = call.args
    if not isinstance(index, t.Name):
        raise errors.syntax.index_of_sum(index.span)
    body = bracketed(body) if isinstance(body, t.Sum) else body
    return t.Group(t.Total(index, body, span=call.span), span=call.span)


def _diff(call: t.Call) -> t.Expr:
    body, *variables = call.args
    return t.Derivative(bracketed(body), merged([_variable(v) for v in variables]), span=call.span)


def _variable(expr: t.Expr) -> t.Wrt:
    match expr:
        case t.Name():
            return t.Wrt(expr, (), 1, span=expr.span)
        case t.Index(body=t.Name() as name, indices=indices):
            return t.Wrt(name, indices, 1, span=expr.span)
        case _:
            raise errors.syntax.not_a_variable(expr.span)


WORDS: dict[str, tuple[int, Callable[[t.Call], t.Expr]]] = {
    "grad": (1, _prefix("grad")),
    "div": (1, _prefix("div")),
    "lap": (1, _prefix("lap")),
    "hess": (1, _prefix("hess")),
    "dot": (2, _times("·")),
    "ddot": (2, _times(":")),
    "pow": (2, lambda call: t.Power(bracketed(call.args[0]), bracketed(call.args[1]), span=call.span)),
    "norm": (1, lambda call: t.Norm(call.args[0], span=call.span)),
    "adj": (1, lambda call: t.Adjoint(bracketed(call.args[0]), span=call.span)),
    "sum": (2, _total),
    "diff": (-2, _diff),  # negative: at least so many
}
