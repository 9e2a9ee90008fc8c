"""Delay and nonlocal dependence of the right-hand side, including through elliptic constraints.

w = u(x, t - 1) is a delay, and Δw = w - u gives the nonlocal w = (1 - Δ)⁻¹u.

A dependence is certain if at some point the arguments differ, the coefficient is nonzero, and no other term can cancel
it: u(x + ½) - u(x - ½) is zero on a periodic interval of length 1, and so is w - v if both are (1 - Δ)⁻¹u.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations

from sympy import Add, Expr, Mul, S, Symbol, Tuple, pi, sin

from pdedsl.analysis.index_expansion import in_coordinates, layout_of
from pdedsl.analysis.jet import DifferentialExpression, differential_expression
from pdedsl.analysis.normal_form import unknown_of
from pdedsl.analysis.sample_points import Ranges, find_nonzero_point, ranges_of
from pdedsl.ir.spec import Equation, Spec, Unknown
from pdedsl.record import Record
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Component, Field, Partial, atoms


class NonlocalDependence(Record):
    """A nonlocal or delayed dependence: direct, or through a chain of unknowns of stationary equations from
    `first_unknown` to `last_unknown`."""

    is_certain: bool
    first_unknown: Symbol | None
    last_unknown: Symbol | None


class EquationDependencies(Record):
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
        return find_nonzero_point(component.derivative(variable) * where, self.ranges) is not None

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
        certain = is_certain and not has_stationary and _is_certainly_nonlocal(dependencies, definition, head)
        yield NonlocalDependence(certain, first_unknown or head, head)
    elif has_stationary:
        yield NonlocalDependence(False, first_unknown or head, head)


def _is_certainly_nonlocal(dependencies: EquationDependencies, definition: EquationDependencies, head: Symbol) -> bool:
    """Whether F is certainly nonlocal through w, where P(∂)w = Q(∂)u and F contains w itself: P⁻¹Q is a differential
    operator only if P divides Q, which Q of lower order excludes (Hörmander 1983, section 7.1)."""
    variables = [a for s in dependencies.components for a in s.jet_variables if _is_of(a, head)]
    lower = all(definition.order_in(h) < definition.order_in(head) for h in definition.other_unknowns)
    return (
        lower
        and len(variables) == 1
        and not isinstance(variables[0], Partial)
        and any(map(definition.certainly_depends_on, definition.other_unknowns))
    )


# ---- Stationary unknowns


def has_constraint(spec: Spec) -> bool:
    """Whether a stationary equation constrains evolving unknowns, as ∇·u = 0 does. Its Lagrange multiplier, such as a
    pressure, is nonlocal, and terms may vanish by the constraint."""
    evolving = {e.unknown for e in spec.equations if e.order}

    def binds(equation: Equation) -> bool:
        inside = {f.head for right in equation.rhs for f in atoms(right, Field)}
        return unknown_of(equation, spec).head not in inside - evolving and bool(inside & evolving)

    return any(binds(e) for e in spec.equations if not e.order)


def is_independent(equation: Equation, spec: Spec) -> bool:
    """Whether no other stationary equation constrains the jet variables here: each is of higher order in its
    unknown."""
    pairs = [(unknown_of(e, spec).head, e) for e in spec.equations if e is not equation and not e.order]
    return all(
        (derivative_order(here, head) or 0) < max(derivative_order(right, head) or 0 for right in e.rhs)
        for here in equation.rhs
        for head, e in pairs
    )


def stationary_unknowns_in(equation: Equation, spec: Spec) -> dict[Symbol, Equation]:
    """The stationary unknowns on which an equation depends, directly or indirectly, each with its equation."""
    definitions = {unknown_of(e, spec).head: e for e in spec.equations if not e.order}
    unknowns, pending = dict[Symbol, Equation](), [equation]
    while pending:
        occurring = {f.head for right in pending.pop().rhs for f in atoms(right, Field)}
        new = {h: e for h, e in definitions.items() if h in occurring and h not in unknowns and e is not equation}
        unknowns |= new
        pending += new.values()
    return unknowns


def derivative_order(expr: Expr, head: Symbol) -> int | None:
    """The order of the highest derivative of an unknown; None if it does not occur."""
    if not any(f.head == head for f in atoms(expr, Field)):
        return None
    return max((len(p.slots) for p in atoms(expr, Partial) if any(f.head == head for f in atoms(p, Field))), default=0)
