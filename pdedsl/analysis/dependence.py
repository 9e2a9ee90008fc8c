"""Delay and nonlocal dependence of the right-hand side, including through elliptic constraints.

w = u(x, t - 1) is a delay, and Δw = w - u gives the nonlocal w = (1 - Δ)⁻¹u.

A dependence is certain if at some point the arguments differ, the coefficient is nonzero, and no other term can cancel
it: u(x + ½) - u(x - ½) is zero on a periodic interval of length 1, and so is w - v if both are (1 - Δ)⁻¹u.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from sympy import Add, Expr, Mul, S, Symbol, Tuple, cancel, pi, sin

from pdedsl.analysis.bounds.sign import box_of, strictly_positive
from pdedsl.analysis.constraint_elimination import has_constraint, substitute_stationary
from pdedsl.analysis.index_expansion import in_coordinates, layout_of
from pdedsl.analysis.jet import DifferentialExpression, differential_expression
from pdedsl.analysis.normal_form import unknown_of
from pdedsl.analysis.sample_points import Ranges, find_nonzero_point, points, ranges_of
from pdedsl.ir.spec import Equation, Spec, Unknown
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Component, Field, Partial, atoms

SYMBOL_SAMPLES = 4  # points at which derivatives of F are evaluated


@dataclass(frozen=True)
class NonlocalDependence:
    """A nonlocal or delayed dependence: direct, or through a chain of unknowns of stationary equations from
    `first_unknown` to `last_unknown`."""

    is_certain: bool
    first_unknown: Symbol | None
    last_unknown: Symbol | None


@dataclass(frozen=True)
class EquationDependencies:
    """An equation, and its dependence on values and derivatives of the unknowns."""

    equation: Equation
    spec: Spec

    @cached_property
    def head(self) -> Symbol:
        return unknown_of(self.equation, self.spec).head

    @cached_property
    def components(self) -> tuple[DifferentialExpression, ...]:
        return tuple(differential_expression(e, self.spec) for e in self.equation.rhs)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        heads = {u.head for u in self.spec.unknowns}
        fields = (f for e in self.equation.rhs for f in atoms(e, Field) if f.head in heads)
        return tuple(dict.fromkeys(sorted(fields, key=str)))

    @cached_property
    def other_unknowns(self) -> tuple[Symbol, ...]:
        """The other unknowns that occur in it."""
        return tuple(dict.fromkeys(f.head for f in self.fields if f.head != self.head))

    @cached_property
    def ranges(self) -> Ranges:
        return ranges_of(self.spec, self.equation)

    def arguments_of(self, field: Field) -> Tuple:
        """The arguments of a field, in expanded coordinates."""
        return in_coordinates(field, layout_of(self.equation.rhs[0], self.spec)).arguments

    def certainly_depends_on(self, head: Symbol, arguments: Tuple | None = None, where: Expr = S.One) -> bool:
        """Whether F certainly depends on an unknown (at these arguments) at a point where an expression is not zero."""
        nonzero = (
            self._has_nonzero_derivative(s, a, where)
            for s in self.components
            for a in s.jet_variables
            if _is_of(a, head, arguments)
        )
        return self._has_no_vanishing_factor(head) and any(nonzero)

    def _has_no_vanishing_factor(self, head: Symbol) -> bool:
        """Whether no term with an unknown has a factor that may vanish by a stationary equation: z u(x + 1, t) with
        z = u - w and w = u, or (∇·v) c(x + 1, t) with ∇·v = 0."""
        constrained = {
            u.head for u in self.spec.unknowns if has_constraint(self.spec) or _stationary_equations(u.head, self.spec)
        } - {head}
        terms = (t for e in self.equation.rhs for t in Add.make_args(e) if _has(t, head))
        return not any(_has(t, other) for t in terms for other in constrained)

    @property
    def has_distinct_arguments(self) -> bool:
        """Whether different arguments of an unknown are different points, unlike x + ½ and x - ½ if the period is 1."""
        pairs = ((a, b) for a, b in combinations(self.fields, 2) if (a.head, a.indices) == (b.head, b.indices))
        unknowns = {u.head: u for u in self.spec.unknowns}
        differences = (_squared_distance(a, b, unknowns[a.head], self) for a, b in pairs)
        return all(find_nonzero_point(difference, self.ranges) is not None for difference in differences)

    def _has_nonzero_derivative(self, component: DifferentialExpression, variable: Expr, where: Expr) -> bool:
        derivative, box = component.derivative(variable), box_of(self.ranges)
        if find_nonzero_point(derivative * where, self.ranges) is not None:
            return True
        always = strictly_positive(derivative, box) or strictly_positive(expand(-derivative), box)
        return always and find_nonzero_point(where, self.ranges) is not None

    def with_substitution(self, definition: EquationDependencies) -> EquationDependencies:
        """The same with the unknown of a stationary equation substituted, if that is possible."""
        substituted = [
            substitute_stationary(s.expr, definition.head, definition.equation, self.spec) for s in self.components
        ]
        rhs = tuple(s.expr if r is None else r for r, s in zip(substituted, self.components, strict=True))
        return EquationDependencies(replace(self.equation, rhs=rhs), self.spec)

    def symbol(self, head: Symbol, sample: int = 0) -> Expr | None:
        """Σ cₐ ξᵃ for the derivatives cₐ ∂ᵃ of an unknown in F, with a coordinate for each ξ; the derivatives of F are
        taken at a sample point, or must be numbers if `sample` is 0. None if one is undefined or the term is
        nonlocal."""
        total, coordinates = S.Zero, set(self.spec.space.coordinates)
        own = next(u for u in self.spec.unknowns if u.head == head).arguments
        for variable in (a for s in self.components for a in s.jet_variables if _is_of(a, head)):
            derivative, slots = (
                self.components[0].derivative(variable),
                variable.slots if isinstance(variable, Partial) else (),
            )
            *_, point = points(derivative.free_symbols, self.ranges, sample) if sample else ({},)
            value = derivative.xreplace(point)
            is_local = _field_of(variable).arguments == Tuple(*own)
            if len(self.components) > 1 or not value.is_Rational or not is_local or not coordinates.issuperset(slots):
                return None
            total += value * Mul(*slots)
        return total

    def order_in(self, head: Symbol) -> int:
        """The order of the highest derivative of an unknown in space."""
        time = self.spec.time.symbol if self.spec.time else None
        partials = (p for e in self.equation.rhs for p in atoms(e, Partial) if _has(p, head))
        return max((len([s for s in p.slots if s != time]) for p in partials), default=0)


def _has(expr: Expr, head: Symbol) -> bool:
    return any(f.head == head for f in atoms(expr, Field))


def _is_of(variable: Expr, head: Symbol, arguments: Tuple | None = None) -> bool:
    field = _field_of(variable)
    return bool(field.head == head and (arguments is None or field.arguments == arguments))


def _field_of(variable: Expr) -> Field:
    field: Field = variable.body if isinstance(variable, Partial) else variable
    return field


# ---- Arguments


def _argument_differences(
    field: Field, unknown: Unknown, dependencies: EquationDependencies, in_time: bool
) -> list[Expr]:
    """Functions that vanish where a field is evaluated at (x, t), or at the arguments of another field."""
    time = dependencies.spec.time.symbol if dependencies.spec.time else None
    pairs = zip(field.arguments, unknown.arguments, strict=True)
    differences = [
        _argument_difference(argument, own, own, dependencies)
        for argument, own in pairs
        if argument != own and (own == time) == in_time
    ]
    others = [f for f in dependencies.fields if f.head == field.head and f.indices == field.indices and f != field]
    distances = Mul(*(_squared_distance(field, f, unknown, dependencies) for f in others))
    return [g * distances for g in differences if g != 0]


def _squared_distance(one: Field, other: Field, unknown: Unknown, dependencies: EquationDependencies) -> Expr:
    """A function that vanishes where two fields have the same arguments."""
    triples = zip(one.arguments, other.arguments, unknown.arguments, strict=True)
    return Add(*(_argument_difference(a, b, own, dependencies) ** 2 for a, b, own in triples if a != b))


def _argument_difference(argument: Expr, other: Expr, own: Symbol, dependencies: EquationDependencies) -> Expr:
    """The difference; in a periodic coordinate, a function of it that vanishes at multiples of the period."""
    components = {c: own for e in (argument, other) for c in atoms(e, Component) if c.args[0] == own}
    space, difference = dependencies.spec.space, expand(argument.xreplace(components) - other.xreplace(components))
    if own not in space.coordinates or not space.intervals:
        return difference
    if not space.intervals[space.coordinates.index(own)].periodic:
        return difference
    start, end = dependencies.ranges[own]
    return sin(pi * difference / (end - start))


# ---- Dependences


def delay_dependence(equation: Equation, spec: Spec) -> list[NonlocalDependence]:
    """The dependence on other times."""
    return list(_dependences(EquationDependencies(equation, spec), True, True, None, frozenset()))


def spatial_dependence(equation: Equation, spec: Spec) -> list[NonlocalDependence]:
    """The dependence on other points, directly or through stationary equations."""
    return list(_dependences(EquationDependencies(equation, spec), False, True, None, frozenset()))


def depends_on_stationary(equation: Equation, spec: Spec) -> bool:
    """Whether an equation contains the unknown of a stationary equation."""
    return any(
        _stationary_equations(head, spec) is not None for head in EquationDependencies(equation, spec).other_unknowns
    )


def _dependences(
    dependencies: EquationDependencies,
    in_time: bool,
    is_certain: bool,
    first_unknown: Symbol | None,
    visited: frozenset[Symbol],
) -> Iterator[NonlocalDependence]:
    spec = dependencies.spec
    for field in dependencies.fields:
        unknown = next(u for u in spec.unknowns if u.head == field.head)
        differences = _argument_differences(field, unknown, dependencies, in_time)
        if differences:
            is_effective = any(
                dependencies.certainly_depends_on(field.head, dependencies.arguments_of(field), difference)
                for difference in differences
            )
            yield NonlocalDependence(
                is_certain and is_effective, first_unknown, dependencies.head if first_unknown else None
            )
    for head in (h for h in dependencies.other_unknowns if h not in visited):
        definitions = _stationary_equations(head, spec)
        if definitions is None:
            continue
        certain = is_certain and dependencies.certainly_depends_on(head)
        is_pointwise = certain and not any(_has(p, head) for e in dependencies.equation.rhs for p in atoms(e, Partial))
        for definition in definitions:
            yield from (
                () if in_time else _inverse_operator_dependence(dependencies, definition, head, certain, first_unknown)
            )
            yield from _dependences(
                definition, in_time, is_pointwise, first_unknown or head, visited | {head, dependencies.head}
            )
        if not definitions and not in_time:
            yield from (
                NonlocalDependence(certain and free, first_unknown or head, head) for free in _constraints(head, spec)
            )


def _constraints(head: Symbol, spec: Spec) -> Iterator[bool]:
    """For each stationary equation with derivatives, whether the unknown is absent from it: such equations determine an
    unknown without an equation solved for it, as ∇·u = 0 determines the pressure."""
    for dependencies in (EquationDependencies(e, spec) for e in spec.equations if not e.order):
        if any(dependencies.order_in(f.head) for f in dependencies.fields):
            yield all(f.head != head for f in dependencies.fields)


def _stationary_equations(head: Symbol, spec: Spec) -> list[EquationDependencies] | None:
    """The stationary equations for an unknown; None if it evolves."""
    all_equations = [EquationDependencies(e, spec) for e in spec.equations]
    if any(r.head == head and r.equation.order for r in all_equations):
        return None
    return [r for r in all_equations if r.head == head]


def _inverse_operator_dependence(
    dependencies: EquationDependencies,
    definition: EquationDependencies,
    head: Symbol,
    is_certain: bool,
    first_unknown: Symbol | None,
) -> Iterator[NonlocalDependence]:
    """An unknown with derivatives in its stationary equation, or a circular definition, is not determined pointwise."""
    has_stationary = any(_stationary_equations(h, dependencies.spec) is not None for h in definition.other_unknowns)
    if definition.order_in(head) and definition.other_unknowns:
        yield NonlocalDependence(
            is_certain and not has_stationary and _is_certainly_nonlocal(dependencies, definition, head),
            first_unknown or head,
            head,
        )
    elif has_stationary and _is_circular(definition, head, frozenset()):
        yield NonlocalDependence(False, first_unknown or head, head)


def _is_certainly_nonlocal(dependencies: EquationDependencies, definition: EquationDependencies, head: Symbol) -> bool:
    """Whether F is certainly nonlocal through w, where P(∂)w = Q(∂)u.

    The linearization S(∂)w = (SQ/P)(∂)u is local only if P divides SQ, as for Δw - w = Δu - u. For other equations, w
    is not a differential operator of u if the derivatives of u in it are of lower order.
    """
    own, right_symbols = definition.symbol(head), [definition.symbol(h) for h in definition.other_unknowns]
    if own is not None and None not in right_symbols:
        symbols = (
            dependencies.with_substitution(definition).symbol(head, sample) for sample in range(1, SYMBOL_SAMPLES)
        )
        products = (s * q / own for s in symbols if s is not None for q in right_symbols)
        return any(not cancel(e).is_polynomial(*dependencies.spec.space.coordinates) for e in products)
    variables = [a for s in dependencies.components for a in s.jet_variables if _is_of(a, head)]
    lower = all(definition.order_in(h) < definition.order_in(head) for h in definition.other_unknowns)
    return (
        lower
        and len(variables) == 1
        and not isinstance(variables[0], Partial)
        and any(map(definition.certainly_depends_on, definition.other_unknowns))
    )


def _is_circular(dependencies: EquationDependencies, head: Symbol, visited: frozenset[Symbol]) -> bool:
    """Whether the definition of an unknown is circular."""
    for other in (h for h in dependencies.other_unknowns if h not in visited):
        if other == head:
            return True
        if any(_is_circular(r, head, visited | {other}) for r in _stationary_equations(other, dependencies.spec) or ()):
            return True
    return False
