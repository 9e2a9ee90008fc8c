"""Dirichlet problem of a stationary linear equation on a curved domain in a box, for Shortley-Weller differences."""

from __future__ import annotations

from sympy import Expr

from pdedsl.ir.boundary import Dirichlet, InitialCondition, Place, ScalarCondition
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import IrregularDirichletProblem
from pdedsl.problem.first_order_system import GridNotApplicable, require_on_grid
from pdedsl.problem.supported_conditions import MethodFamily


def irregular_dirichlet_problem(problem: StrongForm) -> IrregularDirichletProblem:
    """The coefficients; raises GridNotApplicable with the reason."""
    domain = problem.domain
    if domain.has_time or len(problem.components) != 1 or len(domain.space) != 2:
        raise GridNotApplicable("on a curved domain only a single stationary equation in two dimensions is supported")
    affine = problem.equations[0].affine
    if affine is None or problem.parameters:
        raise GridNotApplicable("on a curved domain only linear equations with known coefficients are supported")
    if any(i.periodic for i in domain.intervals):
        raise GridNotApplicable("curved domains with periodic axes are not supported")
    operator = affine.second_order(len(domain.space))
    if operator is None or not operator.is_diagonal:
        raise GridNotApplicable(
            "on a curved domain mixed derivatives and derivatives of order above two are not supported"
        )
    values = dict(_dirichlet_value(c) for c in problem.scalar_conditions)
    return IrregularDirichletProblem(operator, values)


def _dirichlet_value(condition: ScalarCondition) -> tuple[Place, Expr]:
    assert not isinstance(condition.kind, InitialCondition)  # the problem is stationary
    require_on_grid(MethodFamily.IRREGULAR_DOMAIN, condition.kind, condition.place, condition.part)
    assert isinstance(condition.kind, Dirichlet)
    return condition.place, condition.kind.value
