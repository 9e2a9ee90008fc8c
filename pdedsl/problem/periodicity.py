"""Axes for Fourier series: periodic axes, and axes with an even/odd periodic extension (cosine/sine series).

With homogeneous Dirichlet conditions at both ends u extends to an odd function of twice the period, with homogeneous
Neumann conditions to an even one, if equation and data have the same symmetry. The period is not doubled if equation
and data are periodic on the interval itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from sympy import Add, Expr, S, Symbol

from pdedsl.ir.ansatz import Ansatz, substitute_ansatz
from pdedsl.ir.boundary import Dirichlet, General, Robin
from pdedsl.ir.first_order_system import FaceCondition, FirstOrderSystem
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import LinearSplitting, PeriodicAxis
from pdedsl.symbolic.evaluate import is_numerically_equal
from pdedsl.symbolic.rewrite import expand


def split_linear(system: FirstOrderSystem, exprs: tuple[Expr, ...]) -> LinearSplitting:
    """The linear part of each expression with constant coefficients, term by term."""
    jets = set(system.jet_derivatives)
    fields = {p.symbol for p in system.parameters if _is_function(system, p.name)}
    differential = set(system.coordinates) | fields
    parts: dict[tuple[int, Symbol], Expr] = {}
    remainders: list[list[Expr]] = [[] for _ in exprs]
    for row, expr in enumerate(exprs):
        for term in Add.make_args(expand(expr)):
            (*occurring,) = term.free_symbols & jets
            coefficient = term.diff(occurring[0]) if len(occurring) == 1 else None
            if (
                coefficient is None
                or coefficient.free_symbols & (jets | differential)
                or term != expand(coefficient * occurring[0])
            ):
                remainders[row].append(term)
            else:
                parts[row, occurring[0]] = parts.get((row, occurring[0]), 0) + coefficient
    return LinearSplitting(tuple((r, s, c) for (r, s), c in parts.items()), tuple(Add(*terms) for terms in remainders))


def _is_function(system: FirstOrderSystem, name: str) -> bool:
    return any(p.name == name and p.params for p in system.statement.parameters)


def periodic_axes(system: FirstOrderSystem) -> tuple[PeriodicAxis, ...] | None:
    """The axes with their periods; None if one of them has neither periodicity nor an even/odd extension."""
    domain = system.statement.domain
    axes = []
    for axis, interval in enumerate(domain.intervals[: len(domain.space)]):
        length = interval.end - interval.start
        if axis in system.statement.antiperiodic_axes:
            periodic_axis = PeriodicAxis(interval.start, 2 * length) if _is_antiperiodic(system, axis) else None
        else:
            periodic_axis = PeriodicAxis(interval.start, length) if interval.periodic else _reflected_axis(system, axis)
        if periodic_axis is None:
            return None
        axes.append(periodic_axis)
    return tuple(axes)


def _is_antiperiodic(system: FirstOrderSystem, axis: int) -> bool:
    """Whether equations and data are invariant under u(x) → -u(x + L)."""
    interval, x = system.statement.domain.intervals[axis], system.coordinates[axis]
    shift: dict[Expr, Expr] = {x: x + interval.end - interval.start, **{s: -s for s, _ in system.jets}}
    exprs = (*system.rhs, *system.constraints, *system.initial)
    return all(is_numerically_equal(e, e, shift, sign=-1) for e in exprs)


def subtract_lifts(problem: StrongForm) -> StrongForm:
    """The problem for u - lift, which is periodic: see `StrongForm.lifts`."""
    ansatz, coordinates = [Ansatz(base=lift) for lift in problem.lifts], problem.domain.coordinates
    equations = tuple(substitute_ansatz(r, ansatz, coordinates) for r in problem.equations)
    conditions = tuple(
        c.with_residuals(tuple(substitute_ansatz(r, ansatz, coordinates) for r in c.residuals), problem.domain.space)
        for c in problem.conditions
    )
    exact = tuple(e if e is None else e - lift for e, lift in zip(problem.exact, problem.lifts, strict=True))
    periodic = tuple(replace(p, jump=S.Zero) for p in problem.periodic if p.sign < 0)
    return replace(problem, equations=equations, conditions=conditions, exact=exact, periodic=periodic)


def has_periodic_residuals(problem: StrongForm) -> bool:
    """Whether equations and conditions have the period of the periodic axes."""
    residuals = [*problem.equations, *(r for c in problem.conditions for r in c.residuals)]
    shifts = [
        {x: x + interval.end - interval.start}
        for x, interval in zip(problem.domain.coordinates, problem.domain.intervals, strict=True)
        if interval.periodic
    ]
    return all(is_numerically_equal(r.expr, r.expr, shift) for r in residuals for shift in shifts)


def _reflected_axis(system: FirstOrderSystem, axis: int) -> PeriodicAxis | None:
    interval = system.statement.domain.intervals[axis]
    signs = _parities(system, axis)
    if signs is None or system.algebraic or any(d.orders[axis] and s is None for s, d in system.jets):
        return None
    for end in (interval.start, interval.end):
        if not _is_reflection_invariant(system, axis, end, signs):
            return None
    length = interval.end - interval.start
    shifted = {system.coordinates[axis]: system.coordinates[axis] + length}
    is_periodic = all(is_numerically_equal(e, e, shifted) for e in (*system.rhs, *system.initial))
    return PeriodicAxis(interval.start, length if is_periodic else 2 * length, reflected=True)


def _parities(system: FirstOrderSystem, axis: int) -> Mapping[int, int] | None:
    """-1 for components whose even normal derivatives vanish at both ends (Dirichlet conditions; u = ∂²u/∂x² = 0 of a
    supported beam), +1 if odd ones do (Neumann conditions); else None."""
    signs: dict[tuple[int, bool], set[int | None]] = {}
    for condition in system.face_conditions:
        if condition.place.coordinate == axis:
            component = system.variables[condition.variable][0]
            signs.setdefault((component, condition.place.upper), set()).add(_parity(system, condition))
    parities = {}
    for component in range(len(system.statement.components)):
        both = signs.get((component, False), {None}) | signs.get((component, True), {None})
        (sign,) = both if len(both) == 1 else (None,)
        if sign is None:
            return None
        parities[component] = sign
    return parities


def _parity(system: FirstOrderSystem, condition: FaceCondition) -> int | None:
    """The parity of u: odd for u = 0, even for ∂u/∂n = 0; None for other conditions."""
    if condition.part:
        return None
    match condition.kind:
        case Dirichlet(value=value):
            return -1 if value == 0 else None
        case Robin() as robin:
            return 1 if robin.is_homogeneous_neumann else None
        case General():
            return _parity_of_normal_derivative(system, condition)
        case _:
            assert_never(condition.kind)


def _parity_of_normal_derivative(system: FirstOrderSystem, condition: FaceCondition) -> int | None:
    """Odd for ∂ⁿu/∂xⁿ = 0 with even n, even with odd n."""
    jets = system.jets_in(condition.expr)
    if len(jets) != 1:
        return None
    ((symbol, derivative),) = jets
    factor = condition.expr.diff(symbol)
    is_normal = derivative.order == derivative.orders[condition.place.coordinate]
    if not is_normal or factor.free_symbols or condition.expr.xreplace({symbol: S.Zero}) != 0:
        return None
    return -1 if derivative.order % 2 == 0 else 1


def _is_reflection_invariant(system: FirstOrderSystem, axis: int, end: Expr, signs: Mapping[int, int]) -> bool:
    x = system.coordinates[axis]
    substitution: dict[Expr, Expr] = {x: 2 * end - x}
    for symbol, d in system.jets:
        substitution[symbol] = signs[system.variables[d.component][0]] * (-1) ** d.orders[axis] * symbol
    for k, right, start in zip(system.differential, system.rhs, system.initial, strict=True):
        sign = signs[system.variables[k][0]]
        if not all(is_numerically_equal(e, e, substitution, sign=sign) for e in (right, start)):
            return False
    return True
