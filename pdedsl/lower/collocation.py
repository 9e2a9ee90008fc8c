"""Collocation: a function solves a problem where the residuals of its equations and conditions vanish.

Lagaris, Likas and Fotiadis 1998; Raissi, Perdikaris and Karniadakis 2019. The problem is written out in components, and
what follows (features, a trained network, a grid, paths) is chosen by planning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sympy import Add, Expr, Integer, S, Symbol

from pdedsl.diagnostics import Span
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.spec import Condition, ConditionKind, Equation, Interval, Space, SpaceKind, Spec, Unknown, side_names
from pdedsl.ir.statement import Component, Derivative, Domain, Face, Imposed, Residual, Statement
from pdedsl.ir.theorem import Theorem
from pdedsl.ir.types import Scalar, Sign, Vector
from pdedsl.symbolic import symbols
from pdedsl.symbolic.calculus import differentiate
from pdedsl.symbolic.symbols import Contraction, Field, Partial

THEOREM = Theorem(
    "collocation: residuals that vanish",
    "Lagaris, Likas, Fotiadis 1998; Raissi, Perdikaris, Karniadakis 2019",
    "a function whose residuals in the equation and in every condition are zero solves the problem",
)


def accepts(analysis: Analysis) -> bool:
    return analysis.spec.space.kind is SpaceKind.PHYSICAL


def lower(analysis: Analysis) -> Statement:
    spec = analysis.spec
    writer = Writer(spec)
    equations = tuple(r for e in spec.equations for r in writer.equation(e))
    conditions = tuple(i for c in spec.conditions for i in writer.condition(c))
    exact = tuple(None for _ in writer.components)
    return Statement(THEOREM, writer.components, domain_of(spec), equations, conditions, exact, spec.learned)


def domain_of(spec: Spec) -> Domain:
    space, time = coordinates_of(spec.space), spec.time
    sides = tuple(spec.space.sides)
    if time is None:
        return Domain(space, sides, timed=False)
    return Domain((*space, time.symbol), (*sides, Interval(time.start, time.end)), timed=True)


def coordinates_of(space: Space) -> tuple[Symbol, ...]:
    """One symbol for each dimension, also where the spec has one for the position."""
    if space.explicit:
        return space.coordinates
    return tuple(Symbol(f"{space.names[0]}_{k}", real=True) for k in range(1, int(space.dimension) + 1))


def components_of(unknown: Unknown, dimension: int) -> Iterator[Component]:
    match unknown.type:
        case Vector(size=size):
            for k in range(1, (size or dimension) + 1):
                yield Component(f"{unknown.name}_{k}", unknown.head, k)
        case Scalar(sign=sign):
            yield Component(unknown.name, unknown.head, None, sign)
        case _:
            yield Component(unknown.name, unknown.head, None, Sign.ANY)


@dataclass(frozen=True)
class Writer:
    """Expressions of a spec written out: Σᵢ in components, derivatives of the unknowns as letters."""

    spec: Spec
    letters: dict[Derivative, Symbol] = field(default_factory=dict)

    @property
    def components(self) -> tuple[Component, ...]:
        dimension = int(self.spec.space.dimension)
        return tuple(c for u in self.spec.unknowns for c in components_of(u, dimension))

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        return domain_of(self.spec).coordinates

    def equation(self, equation: Equation) -> Iterator[Residual]:
        for k in range(len(equation.summands[0].exprs)):
            whole = Add(*(s.exprs[k] for s in equation.summands))
            yield self.residual(whole, equation.span, interval=equation.interval)

    def condition(self, condition: Condition) -> Iterator[Imposed]:
        """One for each side: the outer normal is another there."""
        if condition.kind is not ConditionKind.BOUNDARY:
            yield self._in_time(condition)
            return
        for face in faces_of(self.spec.space, condition.sides):
            normal = Integer(1 if face.upper else -1)
            residuals = tuple(self.residual(v, condition.span, (face.coordinate, normal)) for v in condition.value)
            yield Imposed(residuals, face, condition.span)

    def _in_time(self, condition: Condition) -> Imposed:
        time = len(self.coordinates) - 1
        own = [k for k, c in enumerate(self.components) if c.head == condition.unknown]
        orders = tuple(condition.order if k == time else 0 for k in range(time + 1))
        residuals = []
        for k, value in zip(own, condition.value, strict=True):
            given = self.residual(value, condition.span)
            letter, derivative = self.letter(Derivative(k, orders)), Derivative(k, orders)
            residuals.append(Residual(letter - given.expr, ((letter, derivative), *given.letters), condition.span))
        return Imposed(tuple(residuals), Face(time, condition.kind is ConditionKind.TERMINAL), condition.span)

    def residual(
        self,
        expr: Expr,
        span: Span,
        normal: tuple[int, Integer] | None = None,
        interval: tuple[Expr, Expr] | None = None,
    ) -> Residual:
        written = self.written(expr.xreplace(self.spec.values), normal)
        found = {s: d for d, s in self.letters.items() if s in written.free_symbols}
        letters = tuple(sorted(found.items(), key=lambda pair: (pair[1].component, pair[1].orders)))
        return Residual(written, letters, span, interval)

    def letter(self, derivative: Derivative) -> Symbol:
        if derivative not in self.letters:
            component = self.components[derivative.component]
            below = "".join(x.name * n for x, n in zip(self.coordinates, derivative.orders, strict=True))
            name = f"{component.name}_{below}" if below else component.name
            taken = {s.name for s in (*self.coordinates, *self.letters.values())}
            self.letters[derivative] = Symbol(name + "_" * (name in taken), real=True)
        return self.letters[derivative]

    def written(self, expr: Expr, normal: tuple[int, Integer] | None = None) -> Expr:
        """Every node of ours as symbols, functions and learned fields."""
        heads = {c.head for c in self.components}
        position = None if self.spec.space.explicit else self.spec.space.coordinates[0]
        places: Mapping[Expr, int] = {x: k for k, x in enumerate(self.coordinates)}

        def place(slot: Expr) -> int:
            if isinstance(slot, symbols.Component):
                return int(slot.args[1]) - 1
            return places[slot]

        def of(e: Expr) -> Expr:
            match e:
                case Contraction(index=index, body=body):
                    dimension = int(self.spec.space.dimension)
                    return Add(*(of(body.xreplace({index: Integer(k)})) for k in range(1, dimension + 1)))
                case symbols.Component(args=(base, index)):
                    if base == position:
                        return self.coordinates[int(index) - 1]
                    assert normal is not None
                    return normal[1] if int(index) - 1 == normal[0] else S.Zero
                case Partial(body=Field(head=head) as body, slots=slots) if head in heads:
                    orders = [0] * len(self.coordinates)
                    for slot in slots:
                        orders[place(slot)] += 1
                    return self.letter(Derivative(self._component(body), tuple(orders)))
                case Partial(body=Field()):
                    return e
                case Partial(body=body, slots=(*before, last)):
                    inner = Partial(body, *before) if before else body
                    return of(differentiate(inner, last, chain=True))
                case Field(head=head) if head in heads:
                    return self.letter(Derivative(self._component(e), (0,) * len(self.coordinates)))
                case Field():
                    return e
                case _ if e.args:
                    return e.func(*map(of, e.args))
                case _:
                    return e

        return of(expr)

    def _component(self, body: Field) -> int:
        index = int(body.indices[0]) if body.indices else None
        return next(k for k, c in enumerate(self.components) if c.head == body.head and c.index == index)


def faces_of(space: Space, sides: tuple[str, ...]) -> Iterator[Face]:
    for k in range(len(space.sides)):
        for name, upper in zip(side_names(k), (False, True), strict=True):
            if name in sides:
                yield Face(k, upper)
