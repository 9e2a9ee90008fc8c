"""Separable operators L = Σᵢ Lᵢ: each Lᵢ is an ordinary differential operator along the axis xᵢ.

On a tensor-product grid, L u = f is solved by the eigenvectors of the Lᵢ (Lynch, Rice, Thomas 1964).
"""

from __future__ import annotations

from sympy import Add, Expr

from pdedsl.ir.first_order_system import FirstOrderSystem
from pdedsl.ir.solver_plans import SeparableOperator
from pdedsl.problem.interface_problem import robin_face

MAX_ORDER = 2  # of the operator along an axis: one condition on each face


def separable_operator(system: FirstOrderSystem) -> SeparableOperator | None:
    """The operator of a stationary linear equation for one unknown on a box of at least two dimensions; None if it is
    not separable, or if the coefficients of a face condition are not constant."""
    space = system.statement.domain.space
    if system.differential or len(system.variables) != 1 or len(space) < 2 or system.parameters:
        return None
    (equation,), jets = system.constraints, {s for s, _ in system.jets}
    terms: list[list[tuple[int, Expr]]] = [[] for _ in space]
    for symbol, derivative in system.jets_in(equation):
        axes = [k for k, order in enumerate(derivative.orders) if order]
        coefficient = equation.diff(symbol)
        if len(axes) > 1 or derivative.order > MAX_ORDER or coefficient.free_symbols & jets:
            return None
        for term in Add.make_args(coefficient.expand(power_exp=False)):
            used = [k for k, x in enumerate(space) if x in term.free_symbols]
            axis = (axes or used or [0])[0]
            if set(used) - {axis}:
                return None
            terms[axis].append((derivative.order, term))
    faces = [robin_face(c) for c in system.face_conditions]
    known = [f for f in faces if f is not None and not (f.alpha.free_symbols | f.beta.free_symbols or f.condition.part)]
    if len(known) < len(faces) or not _has_one_condition_per_face(system):
        return None
    if any(max((n for n, _ in own), default=0) < MAX_ORDER for own in terms):
        return None
    return SeparableOperator(tuple(tuple(own) for own in terms), tuple(known))


def _has_one_condition_per_face(system: FirstOrderSystem) -> bool:
    intervals = system.statement.domain.intervals
    bounded = {(k, upper) for k, i in enumerate(intervals) if not i.periodic for upper in (False, True)}
    stated = [(c.place.coordinate, c.place.upper) for c in system.face_conditions]
    return len(stated) == len(bounded) and set(stated) == bounded
