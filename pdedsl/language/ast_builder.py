"""AST builder: reductions of the parser → nodes. `lap(u)` and `Δu` give the same node, by the rules of `precedence`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

from lark import Token, Transformer

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.language import ast as t
from pdedsl.language.lexer import span_of
from pdedsl.language.names import FRACTIONS, SUPERSCRIPT_LETTERS, canonical_name, parse_subscript, parse_superscript
from pdedsl.language.precedence import (
    DOT_FUNCTIONS,
    UNAPPLIED_NABLA,
    apply_advection,
    index_nodes,
    make_call,
    make_derivative,
    make_name,
    make_product,
    operator_depth,
    parenthesize,
    parenthesize_prefix,
    prefix_operand,
    strip_implied_parentheses,
    strip_parentheses,
)

Parts = list[Any]
MAX_OPERATOR_CHAIN = 150  # nested operators: in ASCII each is a pair of brackets, which the lexer limits
PREFIX_OPERATORS: dict[str, t.Operator] = {
    "NABLA": "grad",
    "DIV": "div",
    "CURL": "curl",
    "LAPLACIAN": "lap",
    "HESSIAN": "hess",
}
PRODUCT_SIGNS: dict[str, t.ProductSign] = {"STAR": "*", "DOT": "·", "SLASH": "/", "COLON": ":"}
_SCRIPT_LIMITS = re.compile(r"∫[ \t]*(₋?[₀-₉]+)[ \t]*(?:\^|(.*))")
_NUMERATOR = re.compile(r"∂([⁰¹²³⁴-⁹]*)([^/\s]*)\s*/\s*")


def name_node(token: Token) -> t.Name:
    return make_name(token, span_of(token))


def covering_span(parts: Parts) -> Span:
    """The span from the first part to the last."""
    first, last = (span_of(p) if isinstance(p, Token) else p.span for p in (parts[0], parts[-1]))
    return Span(first.start, last.end)


def expressions_in(parts: Parts) -> tuple[t.Expr, ...]:
    return tuple(cast(t.Expr, p) for p in parts if isinstance(p, t.Node))


class ExpressionBuilder(Transformer):  # type: ignore[type-arg]
    """One method for each rule of the grammar; applied while parsing, so deep nesting causes no recursion."""

    # ---- atoms
    def number(self, parts: Parts) -> t.Expr:
        token = parts[0]
        if token.type == "FRACTION":
            return t.Fraction(FRACTIONS[token], span=span_of(token))
        return t.Number(str(token), span=span_of(token))

    def name(self, parts: Parts) -> t.Expr:
        return name_node(parts[0])

    def string(self, parts: Parts) -> t.Expr:
        return self.text(parts[0])

    def text(self, token: Token) -> t.String:
        return t.String(token[1:-1], span=span_of(token))

    def group(self, parts: Parts) -> t.Expr:
        return replace(parenthesize(parts[1]), span=covering_span(parts))

    def list(self, parts: Parts) -> t.Expr:
        return t.ListExpr(expressions_in(parts), span=covering_span(parts))

    def norm(self, parts: Parts) -> t.Expr:
        return t.Norm(parts[1], span=covering_span(parts))

    def modulus(self, parts: Parts) -> t.Expr:
        head = t.Name("abs", "abs", span=span_of(parts[0]))
        return t.Call(head, (parts[1],), span=covering_span(parts))

    # ---- derivatives
    def derivative(self, parts: Parts) -> t.Expr:
        token, span = parts[0], span_of(parts[0])
        match = _NUMERATOR.match(token)
        assert match
        return make_derivative(_numerator(match[2], span), match[1], token[match.end() :], span)

    def nabla_alone(self, parts: Parts) -> t.Expr:
        return t.Name(UNAPPLIED_NABLA, UNAPPLIED_NABLA, span=span_of(parts[0]))

    def derivative_of(self, parts: Parts) -> t.Expr:
        partial, _, body, _, denominator = parts
        return make_derivative(parenthesize(body), partial[1:], denominator, covering_span(parts))

    def integral(self, parts: Parts) -> t.Expr:
        first, *bounds, body, last = (p for p in parts if not isinstance(p, Token) or p.type != "CARET")
        variable = t.Name(canonical_name(last[1:]), last[1:], span=Span(span_of(last).start + 1, span_of(last).end))
        if first.type == "INTEGRAL_LIMITS":
            bounds = _script_limits(first)
        elif first.type == "INTEGRAL_FROM":
            bounds = [_script_limits(first)[0], *bounds]
        lower, upper = (*bounds, None)[:2]
        return t.Integral(lower, upper, strip_parentheses(body), variable, span=covering_span(parts))

    def bound(self, parts: Parts) -> t.Expr:
        body = strip_parentheses(parts[-1])
        return t.Sum((("-", body),), span=covering_span(parts)) if len(parts) == 2 else body

    # ---- postfix
    def call(self, parts: Parts) -> t.Expr:
        head, _, *arguments, _ = parts
        pairs = [p for p in arguments if isinstance(p, tuple)]
        args = tuple(value for key, value in pairs if key is None)
        named = tuple((key, value) for key, value in pairs if key is not None)
        late = next((v for (k, v), (j, _) in zip(pairs[1:], pairs, strict=False) if k is None and j is not None), None)
        if late is not None:
            raise errors.syntax.positional_after_named(late.span)
        return make_call(t.Call(head, args, named, span=covering_span(parts)))

    def argument(self, parts: Parts) -> tuple[t.Name | None, t.Expr]:
        return (name_node(parts[0]), parts[2]) if len(parts) == 3 else (None, parts[0])

    def index(self, parts: Parts) -> t.Expr:
        body, mark, *rest = parts
        indices = index_nodes(mark, span_of(mark)) if mark.type == "SUBSCRIPT" else expressions_in(rest)
        match body:
            case t.Index(body=inner, indices=before):  # v₁ᵢ and v[1][i] are v[1, i]
                return t.Index(inner, (*before, *indices), span=covering_span(parts))
        return t.Index(parenthesize(body), indices, span=covering_span(parts))

    def adjoint(self, parts: Parts) -> t.Expr:
        return t.Adjoint(parenthesize(parts[0]), span=covering_span(parts))

    # ---- operators
    def power(self, parts: Parts) -> t.Expr:
        if len(parts) == 1:
            return cast(t.Expr, parts[0])
        mark = parts[1]
        exponent = _exponent(mark) if mark.type == "SUPERSCRIPT" else parts[2]
        return t.Power(parenthesize(parts[0]), exponent, span=covering_span(parts))

    def exponent(self, parts: Parts) -> t.Expr:
        negative = isinstance(parts[0], Token)
        first, *rest = parts[1:] if negative else parts
        body = self.power([parenthesize(first), *rest])
        return t.Negation(body, span=covering_span(parts)) if negative else body

    def prefix(self, parts: Parts) -> t.Expr:
        sign, body, span = parts[0], parts[-1], covering_span(parts)
        if operator_depth(body) > MAX_OPERATOR_CHAIN:
            raise errors.syntax.nested_too_deeply(span)
        if sign.type == "NEGATIVE_LAPLACIAN":
            exponent = _exponent(parts[1]) if len(parts) == 3 else strip_parentheses(parts[2])
            return t.FractionalLaplacian(exponent, parenthesize(body), span=span)
        if sign.type == "OPERATOR":
            match = _NUMERATOR.match(sign)
            assert match
            return make_derivative(parenthesize(body), match[1], sign[match.end() :], span)
        operator = PREFIX_OPERATORS[sign.type]
        times = parse_superscript(parts[1]) if len(parts) == 3 else 1
        if times != 1 and (operator != "lap" or not 1 <= times <= 4):
            raise errors.syntax.not_an_operator(f"{sign}{parts[1]}", span)
        for _ in range(times):
            body = t.Prefix(operator, prefix_operand(operator, body), span=span)
        return cast(t.Expr, body)

    def product(self, parts: Parts) -> t.Expr:
        factors: list[tuple[t.ProductSign, t.Expr]] = []
        sign: t.ProductSign = ""
        minus: Token | None = None
        for part in parts:
            if isinstance(part, Token) and part.type == "MINUS":
                minus = part
            elif isinstance(part, Token):
                sign = PRODUCT_SIGNS[part.type]
            elif isinstance(part, tuple):  # a summation, with its sign
                factors.append(cast(tuple[t.ProductSign, t.Expr], part))
            else:
                factors.append((sign, _with_sign(sign, minus, part)))
                sign, minus = "", None
        return make_product(apply_advection(factors))

    def summation(self, parts: Parts) -> tuple[t.ProductSign, t.Expr]:
        *sign, sigma, mark, body = parts
        indices, body = parse_subscript(mark), strip_implied_parentheses(body)
        if indices[0].isdigit():
            raise errors.syntax.sigma_index(span_of(mark))
        for name in reversed(indices):
            index = t.Name(name, name, span=span_of(mark))
            body = t.Summation(index, body, span=covering_span([sigma, body]))
        return (PRODUCT_SIGNS[sign[0].type] if sign else "", body)

    def sum(self, parts: Parts) -> t.Expr:
        terms: list[tuple[t.Sign, t.Expr]] = []
        sign: t.Sign = "+"
        for part in parts:
            if isinstance(part, Token):
                sign = "-" if part.type == "MINUS" else "+"
            else:
                terms.append((sign, strip_implied_parentheses(part)))
        if len(terms) == 1 and terms[0][0] == "+":
            return terms[0][1]
        return t.Sum(tuple(terms), span=covering_span(parts))


# ---- Parts of expressions


def _with_sign(sign: t.ProductSign, minus: Token | None, factor: t.Expr) -> t.Expr:
    """A factor after its sign; parenthesized where Unicode and ASCII would otherwise differ."""
    if minus is None:
        return parenthesize(factor) if sign == "/" and isinstance(factor, t.Derivative) else factor
    span = covering_span([minus, factor])
    if sign in DOT_FUNCTIONS:
        return t.Group(t.Sum((("-", strip_implied_parentheses(factor)),), span=span), span=span)
    return t.Negation(factor, span=span)


def _numerator(text: str, span: Span) -> t.Expr:
    """The numerator of a derivative without its ∂: `u`, `u₁`."""
    name = text.rstrip("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₘₙ")
    body, mark = make_name(name, span), text[len(name) :]
    return t.Index(body, index_nodes(mark, span), span=span) if mark else body


def _exponent(token: Token) -> t.Expr:
    value, span = parse_superscript(token), span_of(token)
    number = t.Number(str(abs(value)), span=span)
    return t.Negation(number, span=span) if value < 0 else number


def _script_limits(token: Token) -> list[t.Expr]:
    """The limits of `∫₀ˣ` and `∫₋₁¹`, and the lower one of `∫₀^`."""
    lower, upper = _SCRIPT_LIMITS.fullmatch(token).groups()  # type: ignore[union-attr]  # by the grammar
    span = span_of(token)
    number = t.Number(parse_subscript(lower.removeprefix("₋"))[0], span=span)
    limits: list[t.Expr] = [t.Sum((("-", number),), span=span) if lower[0] == "₋" else number]
    if upper:
        limits.append(_upper_limit(upper, span))
    return limits


def _upper_limit(text: str, span: Span) -> t.Expr:
    letter = next((name for name, raised in SUPERSCRIPT_LETTERS.items() if raised == text), None)
    if letter is not None:
        return t.Name(letter, letter, span=span)
    value = parse_superscript(text)
    number = t.Number(str(abs(value)), span=span)
    return t.Sum((("-", number),), span=span) if value < 0 else number


# ---- Declarations and statements


Attributes = list[t.TypeAttribute]
Conditions = tuple[t.Inequality, ...]


def name_nodes(parts: Parts) -> tuple[t.Name, ...]:
    return tuple(name_node(p) for p in parts if isinstance(p, Token) and p.type == "NAME")


def ascii_relation(token: Token) -> str:
    return str(token).replace("≤", "<=").replace("≥", ">=")


class AstBuilder(ExpressionBuilder):
    """One method for each rule of the grammar."""

    # ---- declarations
    def header(self, parts: Parts) -> t.Header:
        return t.Header(
            name_node(parts[1]), self.text(parts[2]) if len(parts) == 3 else None, span=covering_span(parts)
        )

    def coordinates(self, parts: Parts) -> tuple[t.Name, ...]:
        return name_nodes(parts)

    def factor_of_domain(self, parts: Parts) -> t.DomainFactor:
        keyword = str(parts[1]) if len(parts) == 2 else ""
        body = parenthesize_prefix(parts[0])
        return t.DomainFactor(body, keyword == "periodic", keyword == "antiperiodic", span=covering_span(parts))

    def domain(self, parts: Parts) -> tuple[t.DomainFactor, ...]:
        return tuple(p for p in parts if isinstance(p, t.DomainFactor))

    def space(self, parts: Parts) -> t.SpaceDecl:
        system = parts[3] if isinstance(parts[3], t.Name) else None
        factors, *where = parts[3 + bool(system) :]
        last = (where[0] if where else factors)[-1]
        span = covering_span([parts[0], last])
        return t.SpaceDecl(parts[1], factors, where[0] if where else (), system, span=span)

    def system(self, parts: Parts) -> t.Name:
        return name_node(parts[0])

    def time(self, parts: Parts) -> t.TimeDecl:
        return t.TimeDecl(name_node(parts[1]), parts[3], span=covering_span(parts))

    def params(self, parts: Parts) -> tuple[t.Name, ...]:
        return name_nodes(parts)

    def attribute(self, parts: Parts) -> t.TypeAttribute:
        relation = ascii_relation(parts[1]) if len(parts) == 3 else ""
        return t.TypeAttribute(
            parenthesize_prefix(parts[0]), relation, parts[2] if relation else None, span=covering_span(parts)
        )

    def type(self, parts: Parts) -> Attributes:
        return [p for p in parts if isinstance(p, t.TypeAttribute)]

    def unknown(self, parts: Parts) -> t.UnknownDecl:
        return t.UnknownDecl(*self._declaration(parts), span=self._declaration_span(parts))

    def learn(self, parts: Parts) -> t.LearnDecl:
        return t.LearnDecl(*self._declaration(parts), span=self._declaration_span(parts))

    def _declaration(
        self, parts: Parts
    ) -> tuple[t.Name, tuple[t.Name, ...] | None, tuple[t.TypeAttribute, ...], t.Expr | None]:
        params = next((p for p in parts if isinstance(p, tuple)), None)
        attributes = next(p for p in parts if isinstance(p, list))
        net = parts[-1] if isinstance(parts[-1], t.Node) else None
        return name_node(parts[1]), params, tuple(attributes), cast(t.Expr | None, net)

    def _declaration_span(self, parts: Parts) -> Span:
        last = parts[-1][-1] if isinstance(parts[-1], list) else parts[-1]
        return covering_span([parts[0], last])

    def const(self, parts: Parts) -> t.ConstDecl:
        equal = next(i for i, part in enumerate(parts) if isinstance(part, Token) and part.type == "EQUAL")
        power, value, range_ = parts[2:equal], parts[equal + 1], parts[-1] if len(parts) > equal + 2 else None
        n = parse_superscript(power[0]) if len(power) == 1 else _small_integer(power[1]) if power else 1
        return t.ConstDecl(name_node(parts[1]), n, value, range_, span=covering_span(parts))

    def parameter(self, parts: Parts) -> t.ParameterDecl | t.ParameterFunctionDecl:
        if isinstance(parts[2], tuple):
            return t.ParameterFunctionDecl(name_node(parts[1]), parts[2], parts[4], span=covering_span(parts))
        scale = name_node(parts[4]) if len(parts) == 5 else None
        return t.ParameterDecl(name_node(parts[1]), parts[3], scale, span=covering_span(parts))

    def random(self, parts: Parts) -> t.RandomDecl:
        return t.RandomDecl(name_node(parts[1]), parts[3], span=covering_span(parts))

    def let(self, parts: Parts) -> t.LetDecl:
        params = next((p for p in parts if isinstance(p, tuple)), None)
        return t.LetDecl(name_node(parts[1]), params, parts[-1], span=covering_span(parts))

    # ---- statements
    def equation(self, parts: Parts) -> t.EquationStmt:
        left, _, right, *rest = parts
        interval = (name_node(rest[1]), rest[3]) if rest and isinstance(rest[0], Token) else None
        on, where = rest[-1] if rest and isinstance(rest[-1], tuple) else ((), ())
        last = (*rest[3:4], *on, *where)[-1:] or (right,)
        return t.EquationStmt(left, right, interval, on, where, span=covering_span([left, *last]))

    def where(self, parts: Parts) -> Conditions:
        return tuple(p for p in parts if isinstance(p, t.Inequality))

    def inequality(self, parts: Parts) -> t.Inequality:
        return t.Inequality(parts[0], ascii_relation(parts[1]), parts[2], span=covering_span(parts))

    def place(self, parts: Parts) -> tuple[tuple[t.BoundaryPlace, ...], Conditions]:
        where = parts[-1] if isinstance(parts[-1], tuple) else ()
        return tuple(cast(t.BoundaryPlace, p) for p in parts if isinstance(p, t.Node)), where

    def location(self, parts: Parts) -> t.BoundaryPlace:
        return (
            t.SurfaceEquation(parts[0], parts[2], span=covering_span(parts))
            if len(parts) == 3
            else cast(t.Expr, parts[0])
        )

    def exact(self, parts: Parts) -> t.ExactStmt:
        return t.ExactStmt(parenthesize(parts[1]), parts[3], span=covering_span(parts))

    def observe(self, parts: Parts) -> t.ObserveStmt:
        *unknowns, data = map(parenthesize, expressions_in(parts))
        return t.ObserveStmt(tuple(unknowns), data, span=covering_span(parts))

    def realize(self, parts: Parts) -> t.RealizeStmt:
        return t.RealizeStmt(name_node(parts[1]), parenthesize(parts[3]), span=covering_span(parts))

    def require(self, parts: Parts) -> t.RequireStmt:
        return t.RequireStmt(name_nodes(parts[1:]), span=covering_span(parts))

    def item(self, parts: Parts) -> t.Item:
        match parts:
            case [value]:
                return t.Item(value, span=value.span)
            case [value, Token(type="FROM"), source]:
                origin = name_node(source) if source.type == "NAME" else self.text(source)
                return t.Item(value, origin, span=covering_span(parts))
            case _:
                return t.Item(parts[0], within=parts[2], span=covering_span(parts))

    def entry(self, parts: Parts) -> t.Entry:
        return t.Entry(name_node(parts[0]), tuple(p for p in parts if isinstance(p, t.Item)), span=covering_span(parts))

    def path(self, parts: Parts) -> t.SweepEntry:
        """The path of an axis, completed by `axis`."""
        names, last = name_nodes(parts), parts[-1]
        power = parse_superscript(last) if last.type == "SUPERSCRIPT" else 1
        if last.type == "NUMBER":
            power = _small_integer(last)
        return t.SweepEntry(names, power, names[0], span=covering_span(parts))

    def axis(self, parts: Parts) -> t.SweepEntry:
        path, values, bounded = cast(t.SweepEntry, parts[0]), parts[2], parts[3:]
        high = bounded[1] if bounded else None
        scale = name_node(bounded[3]) if len(bounded) == 4 else None
        return replace(path, values=values, high=high, scale=scale, span=covering_span(parts))


def _small_integer(token: Token) -> int:
    if not (token.isdigit() and len(token) <= 2):
        raise errors.syntax.constant_exponent(span_of(token))
    return int(token)
