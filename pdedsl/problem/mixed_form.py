"""Mixed form of the biharmonic operator: c Δ²u + … = 0 as a system for u and w = Δu (Ciarlet, Raviart 1974).

On a boundary with u = g, a second condition ∂u/∂n = h is natural for w = Δu, and Δu = h is essential for w.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import factorial, prod

from sympy import Expr, S, Symbol

from pdedsl.ir.boundary import ConditionResidual
from pdedsl.ir.component_form import ScalarUnknown
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, Residual

AUXILIARY = 1  # component of w


def split_biharmonic(problem: StrongForm) -> StrongForm | None:
    """The system for u and w = Δu, with its equations in the order of the components; None for other and for
    time-dependent problems."""
    if len(problem.components) != 1 or len(problem.equations) != 1 or problem.periodic or problem.domain.has_time:
        return None
    equation, dimension = problem.equations[0], len(problem.domain.space)
    fourth = {s: d for s, d in equation.jet_variables if sum(d.orders[:dimension]) > 2}
    factor = _biharmonic_factor(equation, fourth, problem)
    if factor is None:
        return None
    name = f"Δ{problem.components[0].name}"
    jets = {Derivative(AUXILIARY, orders): Symbol(f"mixed_{k}", real=True) for k, orders in enumerate(_orders(problem))}
    value, *seconds = jets.values()
    first = Residual(
        equation.expr.xreplace(dict.fromkeys(fourth, S.Zero)) + factor * sum(seconds, S.Zero),
        (
            *((s, d) for s, d in equation.jet_variables if s not in fourth),
            *((s, d) for d, s in jets.items() if any(d.orders)),
        ),
        equation.span,
    )
    own = {Derivative(0, d.orders): Symbol(f"second_{k}", real=True) for k, d in enumerate(jets) if any(d.orders)}
    second = Residual(
        value - sum(own.values(), S.Zero),
        ((value, Derivative(AUXILIARY, _orders(problem)[0])), *((s, d) for d, s in own.items())),
        equation.span,
    )
    return replace(
        problem,
        components=(*problem.components, ScalarUnknown(name, Symbol(name, real=True), None)),
        equations=(first, second),
        conditions=tuple(_mixed_condition(c, problem, value) for c in problem.conditions),
        exact=(*problem.exact, None),
    )


def _orders(problem: StrongForm) -> list[tuple[int, ...]]:
    """Multi-indices of the value and of the unmixed second derivatives in space."""
    size, dimension = len(problem.domain.coordinates), len(problem.domain.space)
    return [(0,) * size, *(tuple(2 * int(i == k) for i in range(size)) for k in range(dimension))]


def _biharmonic_factor(equation: Residual, fourth: dict[Symbol, Derivative], problem: StrongForm) -> Expr | None:
    """c if the terms with more than two derivatives in space are c Δ²u with a constant c."""
    dimension = len(problem.domain.space)
    if not fourth or any(d.order != 4 or any(n % 2 for n in d.orders) for d in fourth.values()):
        return None
    if len(fourth) != dimension * (dimension + 1) // 2 or any(any(d.orders[dimension:]) for d in fourth.values()):
        return None
    multiplicity = {s: 2 // prod(factorial(n // 2) for n in d.orders) for s, d in fourth.items()}
    factors = {equation.expr.diff(s) / multiplicity[s] for s in fourth}
    factor = factors.pop()
    return factor if not factors and factor.is_number else None


def _mixed_condition(condition: ConditionResidual, problem: StrongForm, value: Symbol) -> ConditionResidual:
    """The condition with w for Δu."""
    residuals = tuple(_with_auxiliary(r, problem, value) for r in condition.residuals)
    return condition.with_residuals(residuals, problem.domain.space)


def _with_auxiliary(residual: Residual, problem: StrongForm, value: Symbol) -> Residual:
    laplacian: Sequence[tuple[int, ...]] = _orders(problem)[1:]
    second = {s: d for s, d in residual.jet_variables if d.order == 2 and d.orders in laplacian}
    factors = {residual.expr.diff(s) for s in second}
    if len(second) != len(laplacian) or len(factors) != 1:
        return residual
    expr = residual.expr.xreplace(dict.fromkeys(second, S.Zero)) + factors.pop() * value
    others = tuple((s, d) for s, d in residual.jet_variables if s not in second)
    return replace(residual, expr=expr, jet_variables=(*others, (value, Derivative(AUXILIARY, _orders(problem)[0]))))
