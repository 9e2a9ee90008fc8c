"""Parser reductions → syntax tree. Unicode and ASCII spellings meet here: `lap(u)` and `Δu` build the same node."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from lark import Token, Transformer

from pdedsl.diagnostics import Span, fail
from pdedsl.frontend import tree as t
from pdedsl.frontend.names import FRACTION_OF, FRACTIONS, identity, lowered, raised, unicode_name
from pdedsl.frontend.tokens import span_of

Parts = list[Any]
PREFIXES: dict[str, t.Operator] = {"NABLA": "grad", "DIV": "div", "LAPLACIAN": "lap", "HESSIAN": "hess"}
TIMES: dict[str, t.Times] = {"STAR": "*", "DOT": "·", "SLASH": "/", "COLON": ":"}
_VARIABLE = re.compile(r"∂([^∂₀-₉ᵢⱼₖ-ₙ⁻⁰¹²³⁴-⁹]+)([₀-₉ᵢⱼₖ-ₙ]*)([⁰¹²³⁴-⁹]*)")
_NUMERATOR = re.compile(r"∂([⁰¹²³⁴-⁹]*)([^/\s]*)\s*/\s*")


def name_of(token: Token) -> t.Name:
    return t.Name(identity(token), unicode_name(token), span=span_of(token))


def cover(parts: Parts) -> Span:
    """From the first part to the last."""
    first, last = parts[0], parts[-1]
    start = first.start_pos if isinstance(first, Token) else first.span.start
    end = last.end_pos if isinstance(last, Token) else last.span.end
    return Span(start, end)


def names_in(parts: Parts) -> tuple[t.Name, ...]:
    return tuple(name_of(p) for p in parts if isinstance(p, Token) and p.type == "NAME")


def bracketed(body: t.Expr) -> t.Expr:
    """The body of a function-style operator, as it would stand behind a sign: `grad(u + v)` is `∇(u + v)`."""
    return body if isinstance(body, (*t.ATOMS, t.Group)) else t.Group(body, span=body.span)


def dotted(expr: t.Expr) -> bool:
    return isinstance(expr, t.Product) and any(sign in ("·", ":") for sign, _ in expr.factors)


def freed(expr: t.Expr) -> t.Expr:
    """A summand without the brackets that `dot(…)` and `sum(…)` bring."""
    loose = isinstance(expr, t.Group) and (isinstance(expr.body, t.Total) or dotted(expr.body))
    return expr.body if loose else expr


def operand(operator: t.Operator, body: t.Expr) -> t.Expr:
    """What stands behind ∇ or Δ: `grad(lap(u))` is `∇Δu`, and `∇u²` is `∇(u²)`; ∇∇ is the Hessian."""
    inner = body.body if isinstance(body, t.Group) else body
    if isinstance(inner, t.Prefix) and (operator in ("div", "lap") or inner.operator == "lap"):
        return inner
    return bracketed(body)


def firm(expr: t.Expr) -> t.Expr:
    """A derivative in brackets, where a mark or a line would be read as part of it."""
    return t.Group(expr, span=expr.span) if isinstance(expr, t.Derivative) else expr


def merged(wrt: list[t.Wrt]) -> tuple[t.Wrt, ...]:
    """`∂x∂x` is `∂x²`: diff(u, x, x) writes no orders."""
    found: list[t.Wrt] = []
    for w in wrt:
        if found and (found[-1].name, found[-1].indices) == (w.name, w.indices):
            w = replace(w, order=found.pop().order + w.order)
        found.append(w)
    return tuple(found)


def product(factors: list[tuple[t.Times, t.Expr]]) -> t.Expr:
    """A product, its leading `1/2` made `½`, checked for divisions that read two ways."""
    factors = _leading_fraction(factors)
    dots = [i for i, (sign, _) in enumerate(factors) if sign in ("·", ":")]
    if len(dots) > 1:
        span = factors[dots[0]][1].span.to(factors[dots[1]][1].span)
        raise fail("E105", "two dots in one product can be read in two ways", span, "add brackets, as in (a·b) c·d")
    if dots:
        (sign, first), *after = factors[dots[0] :]
        (_, first), *after = _leading_fraction([("", first), *after])
        factors = [*factors[: dots[0]], (sign, first), *after]
    if isinstance(factors[-1][1], t.Group) and isinstance(factors[-1][1].body, t.Total):
        factors[-1] = (factors[-1][0], factors[-1][1].body)
    for (sign, below), (after, factor) in zip(factors, factors[1:], strict=False):
        if sign == "/" and (after == "/" or (after == "" and not _ends_denominator(below, factor))):
            raise fail(
                "E105",
                "this division can be read in two ways",
                below.span.to(factor.span),
                "add brackets, as in (a/b) c or a/(b c)",
            )
    if len(factors) == 1:
        return factors[0][1]
    return t.Product(tuple(factors), span=factors[0][1].span.to(factors[-1][1].span))


def _ends_denominator(below: t.Expr, factor: t.Expr) -> bool:
    """Whether a denominator plainly ends before the next factor: `1/2 Δu`, `(1-p)/(2p) x`."""
    apart = factor.span.start > below.span.end
    return isinstance(below, t.Group) or (isinstance(below, t.Number | t.Fraction) and apart)


def _leading_fraction(factors: list[tuple[t.Times, t.Expr]]) -> list[tuple[t.Times, t.Expr]]:
    match factors:
        case [("", t.Number(text=a)), ("/", t.Number(text=b)), *rest] if a.isdigit() and b.isdigit():
            over = (int(a), int(b)) if len(a) + len(b) < 4 else (0, 0)
            touching = rest and (rest[0][0] == "/" or rest[0][1].span.start == factors[1][1].span.end)
            if over in FRACTION_OF and not touching:
                span = factors[0][1].span.to(factors[1][1].span)
                return [("", t.Fraction(over, span=span)), *rest]
    return factors


# ---- operators that ASCII writes as functions


def _prefix(operator: t.Operator) -> Callable[[t.Call], t.Expr]:
    return lambda call: t.Prefix(operator, operand(operator, call.args[0]), span=call.span)


def _times(sign: t.Times) -> Callable[[t.Call], t.Expr]:
    def build(call: t.Call) -> t.Expr:
        left, right = (bracketed(a) if isinstance(a, t.Sum) else a for a in call.args)
        factors = [(s, bracketed(f) if isinstance(f, t.Total) else f) for s, f in _flat(left, sign)] + [
            (sign, f) if i == 0 else (s, f) for i, (s, f) in enumerate(_flat(right, sign))
        ]
        return t.Group(t.Product(tuple(factors), span=call.span), span=call.span)

    return build


def _flat(side: t.Expr, sign: t.Times) -> list[tuple[t.Times, t.Expr]]:
    """The factors of a side of a dot product; a side that holds another one keeps its brackets."""
    if isinstance(side, t.Product) and all(s not in ("·", ":") for s, _ in side.factors):
        return list(side.factors)
    return [("", bracketed(side) if isinstance(side, t.Product | t.Negative) else side)]


def _total(call: t.Call) -> t.Expr:
    index, body = call.args
    if not isinstance(index, t.Name):
        raise fail("E111", "sum needs an index first, as in sum(i, v[i]^2)", index.span)
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
            raise fail("E111", "diff needs variables, as in diff(u, x) or diff(u, x, y)", expr.span)


WORDS: dict[str, tuple[int, Callable[[t.Call], t.Expr]]] = {
    "grad": (1, _prefix("grad")),
    "div": (1, _prefix("div")),
    "lap": (1, _prefix("lap")),
    "hess": (1, _prefix("hess")),
    "dot": (2, _times("·")),
    "ddot": (2, _times(":")),
    "norm": (1, lambda call: t.Norm(call.args[0], span=call.span)),
    "adj": (1, lambda call: t.Adjoint(bracketed(call.args[0]), span=call.span)),
    "sum": (2, _total),
    "diff": (-2, _diff),
}


class Builder(Transformer):  # type: ignore[type-arg]
    """One method a rule of the grammar; applied while parsing, so no depth of nesting recurses."""

    # ---- atoms
    def number(self, parts: Parts) -> t.Expr:
        token = parts[0]
        if token.type == "FRACTION":
            return t.Fraction(FRACTIONS[token], span=span_of(token))
        return t.Number(str(token), span=span_of(token))

    def name(self, parts: Parts) -> t.Expr:
        return name_of(parts[0])

    def string(self, parts: Parts) -> t.Expr:
        return self.text(parts[0])

    def text(self, token: Token) -> t.Text:
        return t.Text(token[1:-1], span=span_of(token))

    def group(self, parts: Parts) -> t.Expr:
        body = parts[1]
        if isinstance(body, t.ATOMS) or isinstance(body, t.Group):
            return body
        return t.Group(body, span=cover(parts))

    def list(self, parts: Parts) -> t.Expr:
        return t.ListOf(tuple(p for p in parts if isinstance(p, t.Node)), span=cover(parts))

    def norm(self, parts: Parts) -> t.Expr:
        return t.Norm(parts[1], span=cover(parts))

    def modulus(self, parts: Parts) -> t.Expr:
        head = t.Name("abs", "abs", span=span_of(parts[0]))
        return t.Call(head, (parts[1],), span=cover(parts))

    # ---- derivatives
    def derivative(self, parts: Parts) -> t.Expr:
        token = parts[0]
        span = span_of(token)
        above = _NUMERATOR.match(token)
        assert above
        body = t.Name(identity(above[2]), unicode_name(above[2]), span=span)
        return self._derivative(body, above[1], token[above.end() :], span)

    def slope(self, parts: Parts) -> t.Expr:
        partial, _, body, _, over = parts
        return self._derivative(bracketed(body), partial[1:], over, cover(parts))

    def _derivative(self, body: t.Expr, order: str, below: str, span: Span) -> t.Derivative:
        wrt = merged(
            [
                t.Wrt(
                    t.Name(identity(m[1].strip()), unicode_name(m[1].strip()), span=span),
                    tuple(_index(i, span) for i in lowered(m[2])) if m[2] else (),
                    raised(m[3]) if m[3] else 1,
                    span=span,
                )
                for m in _VARIABLE.finditer(below)
            ]
        )
        above, under = raised(order) if order else 1, sum(w.order for w in wrt)
        if above != under:
            raise fail("E112", f"order {above} above the line and {under} below it", span, "make the two orders agree")
        return t.Derivative(body, wrt, span=span)

    # ---- postfix
    def call(self, parts: Parts) -> t.Expr:
        head, _, *arguments, _ = parts
        given = [p for p in arguments if isinstance(p, tuple)]
        args = tuple(value for key, value in given if key is None)
        named = tuple((key, value) for key, value in given if key is not None)
        late = next((v for (k, v), (j, _) in zip(given[1:], given, strict=False) if k is None and j is not None), None)
        if late is not None:
            raise fail("E111", "an argument without a name behind a named one", late.span, "put it first, or name it")
        call = t.Call(head, args, named, span=cover(parts))
        if isinstance(head, t.Name) and head.id in WORDS:
            arity, build = WORDS[head.id]
            if named or (len(args) != arity if arity > 0 else len(args) < -arity):
                wanted = f"{arity}" if arity > 0 else f"at least {-arity}"
                raise fail("E111", f"{head.id} takes {wanted} plain argument{'s' * (wanted != '1')}", call.span)
            return build(call)
        return call

    def argument(self, parts: Parts) -> tuple[t.Name | None, t.Expr]:
        return (name_of(parts[0]), parts[2]) if len(parts) == 3 else (None, parts[0])

    def index(self, parts: Parts) -> t.Expr:
        body, mark, *rest = parts
        if mark.type == "SUBSCRIPT":
            indices = tuple(_index(i, span_of(mark)) for i in lowered(mark))
        else:
            indices = tuple(p for p in rest if isinstance(p, t.Node))
        if isinstance(body, t.Index):  # v₁ᵢ is v[1, i]
            body, indices = body.body, (*body.indices, *indices)
        return t.Index(firm(body), cast(tuple[t.Expr, ...], indices), span=cover(parts))

    def adjoint(self, parts: Parts) -> t.Expr:
        return t.Adjoint(firm(parts[0]), span=cover(parts))

    # ---- operators
    def power(self, parts: Parts) -> t.Expr:
        if len(parts) == 1:
            return cast(t.Expr, parts[0])
        mark = parts[1]
        exponent = _raised(mark) if mark.type == "SUPERSCRIPT" else parts[2]
        return t.Power(firm(parts[0]), exponent, span=cover(parts))

    def exponent(self, parts: Parts) -> t.Expr:
        negative = isinstance(parts[0], Token)
        body = self.power(parts[1:] if negative else parts)
        return t.Negative(body, span=cover(parts)) if negative else body

    def prefix(self, parts: Parts) -> t.Expr:
        sign, body, span = parts[0], parts[-1], cover(parts)
        if sign.type == "OPERATOR":
            above = _NUMERATOR.match(sign)
            assert above
            return self._derivative(bracketed(body), above[1], sign[above.end() :], span)
        operator = PREFIXES[sign.type]
        times = raised(parts[1]) if len(parts) == 3 else 1
        if times != 1 and (operator != "lap" or not 1 <= times <= 4):
            raise fail("E111", f"{sign}{parts[1]} is not an operator here", span, "write ∇∇u, Δu or Δ²u")
        for _ in range(times):
            body = t.Prefix(operator, operand(operator, body), span=span)
        return cast(t.Expr, body)

    def product(self, parts: Parts) -> t.Expr:
        factors: list[tuple[t.Times, t.Expr]] = []
        sign: t.Times = ""
        negative: Token | None = None
        for part in parts:
            if isinstance(part, Token) and part.type == "MINUS":
                negative = part
            elif isinstance(part, Token):
                sign = TIMES[part.type]
            elif isinstance(part, tuple):
                factors.append(cast(tuple[t.Times, t.Expr], part))
            else:
                body = firm(part) if sign == "/" else part
                if negative:
                    span = cover([negative, part])
                    minus = t.Sum((("-", part),), span=span)
                    body = t.Group(minus, span=span) if sign in ("·", ":") else t.Negative(part, span=span)
                factors.append((sign, body))
                sign, negative = "", None
        return product(factors)

    def total(self, parts: Parts) -> tuple[t.Times, t.Expr]:
        *sign, sigma, mark, body = parts
        letters, body = lowered(mark), freed(body)
        if letters[0].isdigit():
            raise fail("E111", "Σ needs a letter as index, as in Σᵢ vᵢ²", span_of(mark))
        for letter in reversed(letters):
            index = t.Name(letter, letter, span=span_of(mark))
            body = t.Total(index, body, span=cover([sigma, body]))
        return (TIMES[sign[0].type] if sign else "", body)

    def sum(self, parts: Parts) -> t.Expr:
        terms: list[tuple[t.Sign, t.Expr]] = []
        sign: t.Sign = "+"
        for part in parts:
            if isinstance(part, Token):
                sign = "-" if part.type == "MINUS" else "+"
            else:
                terms.append((sign, freed(part)))
        if len(terms) == 1 and terms[0][0] == "+":
            return terms[0][1]
        return t.Sum(tuple(terms), span=cover(parts))

    # ---- declarations
    def header(self, parts: Parts) -> t.Header:
        return t.Header(name_of(parts[1]), self.text(parts[2]) if len(parts) == 3 else None, span=cover(parts))

    def coordinates(self, parts: Parts) -> tuple[t.Name, ...]:
        return names_in(parts)

    def side(self, parts: Parts) -> t.Side:
        return t.Side(parts[0], len(parts) == 2, span=cover(parts))

    def domain(self, parts: Parts) -> tuple[t.Side, ...]:
        return tuple(p for p in parts if isinstance(p, t.Side))

    def space(self, parts: Parts) -> t.SpaceDecl:
        return t.SpaceDecl(parts[1], parts[3], span=cover([parts[0], parts[3][-1]]))

    def time(self, parts: Parts) -> t.TimeDecl:
        return t.TimeDecl(name_of(parts[1]), parts[3], span=cover(parts))

    def params(self, parts: Parts) -> tuple[t.Name, ...]:
        return names_in(parts)

    def trait(self, parts: Parts) -> t.Trait:
        relation = str(parts[1]).replace("≤", "<=").replace("≥", ">=") if len(parts) == 3 else ""
        return t.Trait(parts[0], relation, parts[2] if relation else None, span=cover(parts))

    def type(self, parts: Parts) -> list[t.Trait]:
        return [p for p in parts if isinstance(p, t.Trait)]

    def unknown(self, parts: Parts) -> t.UnknownDecl:
        return t.UnknownDecl(*self._declared(parts), span=self._reach(parts))

    def learn(self, parts: Parts) -> t.LearnDecl:
        return t.LearnDecl(*self._declared(parts), span=self._reach(parts))

    def _declared(self, parts: Parts) -> tuple[t.Name, tuple[t.Name, ...] | None, tuple[t.Trait, ...], t.Expr | None]:
        params = next((p for p in parts if isinstance(p, tuple)), None)
        traits = next(p for p in parts if isinstance(p, list))
        net = parts[-1] if isinstance(parts[-1], t.Node) else None
        return name_of(parts[1]), params, tuple(traits), cast(t.Expr | None, net)

    def _reach(self, parts: Parts) -> Span:
        last = parts[-1][-1] if isinstance(parts[-1], list) else parts[-1]
        return cover([parts[0], last])

    def const(self, parts: Parts) -> t.ConstDecl:
        _, name, *power, _, value = parts
        n = raised(power[0]) if len(power) == 1 else _small(power[1]) if power else 1
        return t.ConstDecl(name_of(name), n, value, span=cover(parts))

    def let(self, parts: Parts) -> t.LetDecl:
        params = next((p for p in parts if isinstance(p, tuple)), None)
        return t.LetDecl(name_of(parts[1]), params, parts[-1], span=cover(parts))

    # ---- statements
    def equation(self, parts: Parts) -> t.EquationStmt:
        left, _, right, *rest = parts
        marks = {p.type: i for i, p in enumerate(rest) if isinstance(p, Token) and p.type in ("FOR", "ON")}
        at = marks.get("FOR")
        during = (name_of(rest[at + 1]), rest[at + 3]) if at is not None else None
        on = names_in(rest[marks["ON"] :]) if "ON" in marks else ()
        return t.EquationStmt(left, right, during, on, span=cover(parts))

    def realize(self, parts: Parts) -> t.RealizeStmt:
        return t.RealizeStmt(name_of(parts[1]), parts[3], span=cover(parts))

    def require(self, parts: Parts) -> t.RequireStmt:
        return t.RequireStmt(names_in(parts[1:]), span=cover(parts))

    def item(self, parts: Parts) -> t.Item:
        match parts:
            case [value]:
                return t.Item(value, span=value.span)
            case [value, Token(type="FROM"), source]:
                origin = name_of(source) if source.type == "NAME" else self.text(source)
                return t.Item(value, origin, span=cover(parts))
            case _:
                return t.Item(parts[0], within=parts[2], span=cover(parts))

    def entry(self, parts: Parts) -> t.Entry:
        return t.Entry(name_of(parts[0]), tuple(p for p in parts if isinstance(p, t.Item)), span=cover(parts))


def _index(text: str, span: Span) -> t.Expr:
    return t.Number(text, span=span) if text.isdigit() else t.Name(text, text, span=span)


def _raised(token: Token) -> t.Expr:
    value, span = raised(token), span_of(token)
    number = t.Number(str(abs(value)), span=span)
    return t.Negative(number, span=span) if value < 0 else number


def _small(token: Token) -> int:
    if not (token.isdigit() and len(token) <= 2):
        raise fail("E111", "a constant's power must be a small whole number", span_of(token))
    return int(token)
