"""Parser reductions → syntax tree: declarations and statements."""

from __future__ import annotations

from typing import cast

from lark import Token

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.frontend.syntax import tree as t
from pdedsl.frontend.syntax.building import Expressions, Parts, cover, name_of, nodes_in
from pdedsl.frontend.syntax.names import raised
from pdedsl.frontend.syntax.operators import bracketed, tight
from pdedsl.frontend.syntax.tokens import span_of

Traits = list[t.Trait]
Conditions = tuple[t.Inequality, ...]


def names_in(parts: Parts) -> tuple[t.Name, ...]:
    return tuple(name_of(p) for p in parts if isinstance(p, Token) and p.type == "NAME")


def compared(token: Token) -> str:
    return str(token).replace("≤", "<=").replace("≥", ">=")


class Builder(Expressions):
    """One method for each rule of the grammar."""

    # ---- declarations
    def header(self, parts: Parts) -> t.Header:
        return t.Header(name_of(parts[1]), self.text(parts[2]) if len(parts) == 3 else None, span=cover(parts))

    def coordinates(self, parts: Parts) -> tuple[t.Name, ...]:
        return names_in(parts)

    def side(self, parts: Parts) -> t.Side:
        return t.Side(tight(parts[0]), len(parts) == 2, span=cover(parts))

    def domain(self, parts: Parts) -> tuple[t.Side, ...]:
        return tuple(p for p in parts if isinstance(p, t.Side))

    def space(self, parts: Parts) -> t.SpaceDecl:
        where = parts[4] if len(parts) == 5 else ()
        return t.SpaceDecl(parts[1], parts[3], where, span=cover([parts[0], (where or parts[3])[-1]]))

    def time(self, parts: Parts) -> t.TimeDecl:
        return t.TimeDecl(name_of(parts[1]), parts[3], span=cover(parts))

    def params(self, parts: Parts) -> tuple[t.Name, ...]:
        return names_in(parts)

    def trait(self, parts: Parts) -> t.Trait:
        relation = compared(parts[1]) if len(parts) == 3 else ""
        return t.Trait(tight(parts[0]), relation, parts[2] if relation else None, span=cover(parts))

    def type(self, parts: Parts) -> Traits:
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
        during = (name_of(rest[1]), rest[3]) if rest and isinstance(rest[0], Token) else None
        on, where = rest[-1] if rest and isinstance(rest[-1], tuple) else ((), ())
        last = (*rest[3:4], *on, *where)[-1:] or (right,)
        return t.EquationStmt(left, right, during, on, where, span=cover([left, *last]))

    def where(self, parts: Parts) -> Conditions:
        return tuple(p for p in parts if isinstance(p, t.Inequality))

    def inequality(self, parts: Parts) -> t.Inequality:
        return t.Inequality(parts[0], compared(parts[1]), parts[2], span=cover(parts))

    def place(self, parts: Parts) -> tuple[tuple[t.Spot, ...], Conditions]:
        where = parts[-1] if isinstance(parts[-1], tuple) else ()
        return tuple(cast(t.Spot, p) for p in parts if isinstance(p, t.Node)), where

    def spot(self, parts: Parts) -> t.Spot:
        return t.Curve(parts[0], parts[2], span=cover(parts)) if len(parts) == 3 else cast(t.Expr, parts[0])

    def exact(self, parts: Parts) -> t.ExactStmt:
        return t.ExactStmt(bracketed(parts[1]), parts[3], span=cover(parts))

    def observe(self, parts: Parts) -> t.ObserveStmt:
        *unknowns, data = map(bracketed, nodes_in(parts))
        return t.ObserveStmt(tuple(unknowns), data, span=cover(parts))

    def realize(self, parts: Parts) -> t.RealizeStmt:
        return t.RealizeStmt(name_of(parts[1]), bracketed(parts[3]), span=cover(parts))

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


def _small(token: Token) -> int:
    if not (token.isdigit() and len(token) <= 2):
        raise mistakes.syntax.power_of_constant(span_of(token))
    return int(token)
