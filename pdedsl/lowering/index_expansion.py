"""Index expansion: Σᵢ as explicit sums, jet variables for derivatives of unknowns, the outer normal in components."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import reduce

from sympy import Add, Expr, Integer, Symbol

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.boundary import Normal
from pdedsl.ir.problem import ScalarUnknown
from pdedsl.ir.residual import Derivative, Residual
from pdedsl.ir.spec import Interval, Space, Spec, Unknown
from pdedsl.ir.types import Scalar, Sign, Vector
from pdedsl.record import Record
from pdedsl.symbolic import symbols
from pdedsl.symbolic.calculus import differentiate
from pdedsl.symbolic.printing import SUBSCRIPTS
from pdedsl.symbolic.symbols import Contraction, Field, Partial

MAX_MIXED_DERIVATIVES = 500  # all mixed second derivatives in 32 dimensions


def coordinate_intervals(spec: Spec) -> tuple[tuple[Symbol, ...], tuple[Interval, ...]]:
    """The coordinates, with time last, and their intervals."""
    space, time = coordinates_of(spec.space), spec.time
    intervals = tuple(spec.space.intervals)
    if time is None:
        return space, intervals
    return (*space, time.symbol), (*intervals, Interval(time.start, time.end))


def coordinates_of(space: Space) -> tuple[Symbol, ...]:
    """One symbol for each dimension, even if the spec has a single symbol for the position."""
    if space.explicit:
        return space.coordinates
    return tuple(Symbol(f"{space.names[0]}_{k}", real=True) for k in range(1, int(space.dimension) + 1))


def components_of(unknown: Unknown, dimension: int) -> Iterator[ScalarUnknown]:
    match unknown.type:
        case Vector(size=size, is_complex=True):
            for k in range(1, (size or 0) + 1):
                number = (k + 1) // 2
                name = unknown.name + (f"_{number}" if size != 2 else "")
                shown = unknown.name + (str(number).translate(SUBSCRIPTS) if size != 2 else "")
                yield ScalarUnknown(f"{name}_{'re' if k % 2 else 'im'}", unknown.head, k, complex_number=shown)
        case Vector(size=size):
            for k in range(1, (size or dimension) + 1):
                yield ScalarUnknown(f"{unknown.name}_{k}", unknown.head, k)
        case Scalar(sign=sign):
            yield ScalarUnknown(unknown.name, unknown.head, None, sign)
        case _:
            yield ScalarUnknown(unknown.name, unknown.head, None, Sign.ANY)


class IndexExpander(Record):
    """Expands the expressions of a spec; collects the jet variables that occur."""

    spec: Spec
    components: tuple[ScalarUnknown, ...]
    coordinates: tuple[Symbol, ...]
    used_names: set[str]
    jet_variables: dict[Derivative, Symbol] = field(default_factory=dict)

    @property
    def arguments(self) -> Mapping[Symbol, tuple[Expr, ...]]:
        return {u.head: tuple(u.arguments) for u in self.spec.unknowns}

    def residual(
        self, expr: Expr, span: Span, normal: Normal = (), interval: tuple[Expr, Expr] | None = None
    ) -> Residual:
        expanded = self.expand(expr, span, normal)
        symbols_in = expanded.free_symbols
        occurring = {s: d for d, s in self.jet_variables.items() if s in symbols_in}
        jet = tuple(sorted(occurring.items(), key=lambda pair: (pair[1].component, pair[1].orders)))
        return Residual(expanded, jet, span, interval)

    def jet_variable(self, derivative: Derivative, span: Span) -> Symbol:
        if derivative not in self.jet_variables:
            if derivative.mixed and sum(d.mixed for d in self.jet_variables) == MAX_MIXED_DERIVATIVES:
                raise errors.syntax.too_many_mixed_derivatives(MAX_MIXED_DERIVATIVES, span)
            component = self.components[derivative.component]
            below = "".join(x.name * n for x, n in zip(self.coordinates, derivative.orders, strict=True))
            name = f"{component.name}_{below}" if below else component.name
            while name in self.used_names:
                name += "_"
            self.used_names.add(name)
            self.jet_variables[derivative] = Symbol(name, real=True)
        return self.jet_variables[derivative]

    def expand(self, expr: Expr, span: Span, normal: Normal = ()) -> Expr:
        """The expression in coordinates, jet variables and learned fields."""
        own, dimension = self.arguments, int(self.spec.space.dimension)
        position = None if self.spec.space.explicit else self.spec.space.coordinates[0]
        places: Mapping[Expr, int] = {x: k for k, x in enumerate(self.coordinates)}

        def place(slot: Expr) -> int:
            return int(slot.args[1]) - 1 if isinstance(slot, symbols.Component) else places[slot]

        def jet_variable(body: Field, slots: tuple[Expr, ...]) -> Symbol:
            if tuple(body.arguments) != own[body.head]:
                raise errors.methods.nonlocal_term(span)
            orders = [0] * len(self.coordinates)
            for slot in slots:
                orders[place(slot)] += 1
            return self.jet_variable(Derivative(self.component(body), tuple(orders)), span)

        def of(e: Expr) -> Expr:
            match e:
                case Contraction(index=index, body=body):
                    return Add(*(of(body.xreplace({index: Integer(k)})) for k in range(1, dimension + 1)))
                case symbols.Component(args=(base, index)):
                    return self.coordinates[int(index) - 1] if base == position else normal[int(index) - 1]
                case Partial(body=Field(head=head) as body, slots=slots) if head in own:
                    return jet_variable(body, slots)
                case Partial(body=Field()):
                    return e
                case Partial(body=body, slots=slots):
                    return of(reduce(lambda inner, slot: differentiate(inner, slot, chain=True), slots, body))
                case Field(head=head) if head in own:
                    return jet_variable(e, ())
                case Field():
                    return e
                case _ if e.args:
                    return e.func(*map(of, e.args))
                case _:
                    return e

        return of(expr.xreplace(self.spec.values))

    def component(self, body: Field) -> int:
        index = int(body.indices[0]) if body.indices else None
        return next(k for k, c in enumerate(self.components) if c.head == body.head and c.index == index)


def index_expander(spec: Spec) -> IndexExpander:
    dimension = int(spec.space.dimension)
    components = tuple(c for u in spec.unknowns for c in components_of(u, dimension))
    coordinates, _ = coordinate_intervals(spec)
    return IndexExpander(spec, components, coordinates, {x.name for x in coordinates})
