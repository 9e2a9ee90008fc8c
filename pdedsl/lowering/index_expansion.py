"""Index expansion: Σᵢ as explicit sums, jet variables for derivatives of unknowns, the outer normal in components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from sympy import Abs, Add, Expr, Mul, S, Symbol

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.boundary import Normal
from pdedsl.ir.component_form import (
    ScalarUnknown,
    component_of,
    coordinate_intervals,
    derivative_orders,
    in_components,
    scalar_unknowns,
)
from pdedsl.ir.residual import Derivative, IntegrationRange, NonlocalTerm, PointSourceTerm, PointValue, Residual
from pdedsl.ir.spec import Spec
from pdedsl.record import Record
from pdedsl.symbolic import symbols
from pdedsl.symbolic.calculus import differentiate
from pdedsl.symbolic.integrals import kinks as find_kinks
from pdedsl.symbolic.point_sources import Concentrated, split_point_sources
from pdedsl.symbolic.symbols import Contraction, Field, FractionalLaplacian, Integral, Partial

MAX_MIXED_DERIVATIVES = 500  # all mixed second derivatives in 32 dimensions


class IndexExpander(Record):
    """Expands the expressions of a spec; collects the jet variables that occur."""

    spec: Spec
    components: tuple[ScalarUnknown, ...]
    coordinates: tuple[Symbol, ...]
    used_names: set[str]
    jet_variables: dict[Derivative, Symbol] = field(default_factory=dict)
    nonlocal_terms: dict[NonlocalTerm, Symbol] = field(default_factory=dict)

    @property
    def arguments(self) -> Mapping[Symbol, tuple[Expr, ...]]:
        return {u.head: tuple(u.arguments) for u in self.spec.unknowns}

    def residual(
        self, expr: Expr, span: Span, normal: Normal = (), interval: tuple[Expr, Expr] | None = None
    ) -> Residual:
        expr, concentrated = split_point_sources(expr)
        expanded = self.expand(expr, span, normal)
        sources = tuple(self._point_source(c, span) for c in concentrated)
        symbols_in = expanded.free_symbols
        occurring = {s: d for d, s in self.jet_variables.items() if s in symbols_in}
        jet = tuple(sorted(occurring.items(), key=lambda pair: (pair[1].component, pair[1].orders)))
        terms = tuple((s, term) for term, s in self.nonlocal_terms.items() if s in symbols_in)
        return Residual(expanded, jet, span, interval, terms, sources)

    def _point_source(self, concentrated: Concentrated, span: Span) -> PointSourceTerm:
        values = self.spec.values
        places = tuple((self.coordinates.index(x), a.xreplace(values)) for x, a in concentrated.places)
        return PointSourceTerm(self.expand(concentrated.strength, span), places)

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
        own = self.arguments
        position = None if self.spec.space.explicit else self.spec.space.coordinates[0]

        def derivative(body: Field, slots: tuple[Expr, ...]) -> Derivative:
            return Derivative(component_of(body, self.components), derivative_orders(slots, self.coordinates))

        def jet_variable(body: Field, slots: tuple[Expr, ...]) -> Symbol:
            if tuple(body.arguments) != own[body.head]:
                value = point_value(body, slots)
                symbol = Symbol("value", real=True)
                return self.nonlocal_symbol(NonlocalTerm((), symbol, ((symbol, value),)))
            return self.jet_variable(derivative(body, slots), span)

        def point_value(body: Field, slots: tuple[Expr, ...]) -> PointValue:
            if position is not None:
                raise errors.methods.nonlocal_term(span)
            at = dict(zip(own[body.head], body.arguments, strict=True))
            place = tuple(at.get(x, x) for x in self.coordinates)
            return PointValue(derivative(body, slots), place, *self._history(body, slots, place))

        def integral(e: Integral) -> Symbol:
            ranges, integrand = _flatten(e, span)
            values: dict[PointValue, Symbol] = {}

            def inside(part: Expr) -> Expr:
                match part:
                    case Partial(body=Field(head=head) as body, slots=slots) if head in own:
                        value = point_value(body, slots)
                    case Field(head=head) if head in own:
                        value = point_value(part, ())
                    case Partial() | Field() | Contraction() | symbols.Component():
                        raise errors.methods.unsupported_integrand(span)
                    case _:
                        return part.func(*map(inside, part.args)) if part.args else part
                return values.setdefault(value, Symbol(f"value_{len(values)}", real=True))

            integrand = inside(integrand)
            past = [v.point[-1] - v.start for v in values if v.history is not None]
            closed = tuple(
                self._range(r, integrand, [q.variable for q in ranges[k + 1 :]], past) for k, r in enumerate(ranges)
            )
            return self.nonlocal_symbol(NonlocalTerm(closed, integrand, tuple((s, v) for v, s in values.items())))

        def replace_leaf(e: Expr) -> Expr:
            match e:
                case FractionalLaplacian(body=inner, power=power):
                    body, slots = (inner.body, inner.slots) if isinstance(inner, Partial) else (inner, ())
                    symbol = Symbol("value", real=True)
                    value = PointValue(derivative(body, slots), self.coordinates)
                    return self.nonlocal_symbol(NonlocalTerm((), symbol, ((symbol, value),), power))
                case Integral():
                    return integral(e)
                case Partial(body=Field(head=head) as body, slots=slots) if head in own:
                    return jet_variable(body, slots)
                case Field(head=head) if head in own:
                    return jet_variable(e, ())
                case _:
                    return e

        return in_components(expr, self.spec, normal, replace_leaf)

    def _history(self, body: Field, slots: tuple[Expr, ...], place: tuple[Expr, ...]) -> tuple[Expr | None, Expr]:
        """The value at an earlier time, if the unknown has a history, and the initial time."""
        time = self.spec.time
        past = next((h for h in self.spec.histories if h.unknown == body.head), None)
        if time is None or past is None or place[-1] == time.symbol:
            return None, S.Zero
        value = past.value[int(body.indices[0]) - 1 if body.indices else 0]
        for slot in slots:
            value = differentiate(value, slot)
        return value.xreplace({time.symbol: place[-1]}), time.start

    def nonlocal_symbol(self, term: NonlocalTerm) -> Symbol:
        if term not in self.nonlocal_terms:
            kind = "integral" if term.ranges else "fractional" if term.power else "shifted"
            name = f"{kind}_{len(self.nonlocal_terms)}"
            while name in self.used_names:
                name += "_"
            self.used_names.add(name)
            self.nonlocal_terms[term] = Symbol(name, real=True)
        return self.nonlocal_terms[term]

    def _range(self, one: IntegrationRange, integrand: Expr, inner: list[Symbol], past: list[Expr]) -> IntegrationRange:
        """The range with the kinks of the integrand, where these are known when the variable is integrated over; and
        the initial time, where an argument of `past` vanishes."""
        _, intervals = coordinate_intervals(self.spec)
        periods = [i for i in intervals if i.periodic and (one.lower, one.upper) == (i.start, i.end)]
        switching = Add(integrand, *(Abs(e) for e in past))
        kinks = [k for k in find_kinks(switching, one.variable) if not k.free_symbols & {*inner}]
        return replace(one, kinks=tuple(dict.fromkeys(kinks)), periodic=bool(periods) and not kinks)


# ---- Integrals


def _flatten(expr: Expr, span: Span) -> tuple[list[IntegrationRange], Expr]:
    """The ranges of nested integrals, the outermost first, and their integrand."""
    match expr:
        case Integral(body=body, variable=variable, lower=lower, upper=upper):
            ranges, integrand = _flatten(body, span)
            return [IntegrationRange(variable, lower, upper), *ranges], integrand
        case Mul(args=factors) if len(inner := [f for f in factors if f.has(Integral)]) == 1:
            ranges, integrand = _flatten(inner[0], span)
            return ranges, integrand * Mul(*(f for f in factors if f is not inner[0]))
        case _ if expr.has(Integral):
            raise errors.methods.nonlinear_in_integral(span)
        case _:
            return [], expr


def index_expander(spec: Spec) -> IndexExpander:
    coordinates, _ = coordinate_intervals(spec)
    return IndexExpander(spec, scalar_unknowns(spec), coordinates, {x.name for x in coordinates})
