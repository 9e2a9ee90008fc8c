"""Plans of families of problems: that of the member at the center, and those of other members."""

from __future__ import annotations

from dataclasses import replace

from pdedsl import errors
from pdedsl.config.distributions import LogUniform, Uniform
from pdedsl.ir.family import Family
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.solver_plans import ChebyshevScheme, FourierScheme, GridPlan, HeatKernelPlan, SolverPlan
from pdedsl.ir.spec import FamilyParameter, Spec
from pdedsl.planning.solver_selection import plan_solve
from pdedsl.planning.transforms import has_fundamental_solution
from pdedsl.problem.reduced_basis import NoReducedBasis, basis_members, interpolation_members, reduced_problem

LOGARITHMIC_RATIO = 30  # of the ends of an interval: Chebyshev coefficients of 1/μ decrease by less than 1.5 a degree


def plan_family(problem: StrongForm, spec: Spec) -> SolvePlan:
    """The plan of the member at the center, with the family."""
    spans = [w.span for w in spec.learned if w not in spec.family] + [o.span for o in spec.observations]
    if spans:
        raise errors.families.inverse_problem(spans[0])
    family = Family(problem, tuple(map(_with_scale, spec.family)))
    plan = plan_member(family, (0.0,) * len(family.parameters), spec)
    return replace(plan, family=_with_method(family, plan))


def _with_scale(parameter: FamilyParameter) -> FamilyParameter:
    """Without statistics the scale is free: a logarithmic one for ends of different magnitude, as a solution may have a
    pole at 0 (a pressure ~ 1/Re), by which polynomials converge slowly."""
    match parameter.distribution:
        case Uniform(low=low, high=high) if not parameter.is_random and 0 < LOGARITHMIC_RATIO * low < high:
            return replace(parameter, distribution=LogUniform(low=low, high=high))
        case _:
            return parameter


def _with_method(family: Family, plan: SolvePlan) -> Family:
    """A reduced basis if it needs fewer members than sparse interpolation, by their predicted numbers."""
    dimension = len(family.parameters)
    interpolation, basis = interpolation_members(dimension), basis_members(dimension)
    predicted = f"about {interpolation} members predicted, {basis} for a reduced basis"
    if interpolation <= basis:
        return replace(family, reason=predicted)
    if not _is_smooth(plan.candidates[0].solver):
        return replace(family, reason="a reduced basis needs members by a spectral method")
    try:
        reduction = reduced_problem(family.problem, family.parameters)
    except NoReducedBasis as obstacle:
        return replace(family, reason=f"no reduced basis: {obstacle}")
    reason = f"about {basis} members predicted, {interpolation} for sparse interpolation"
    return replace(family, reduction=reduction, reason=reason)


def _is_smooth(solver: SolverPlan) -> bool:
    """Whether the derivatives of the solution are accurate."""
    is_spectral = isinstance(solver, GridPlan) and isinstance(solver.scheme, FourierScheme | ChebyshevScheme)
    return is_spectral or isinstance(solver, HeatKernelPlan)


def plan_member(family: Family, reference: tuple[float, ...], spec: Spec, alone: bool = False) -> SolvePlan:
    """The plan of the member at reference variables. A member is evaluated many times, unless it is solved alone: then
    convolution with the heat kernel, whose values are integrals, comes after other methods."""
    plan = plan_solve(family.member(reference), spec)
    return plan if alone else replace(plan, candidates=tuple(sorted(plan.candidates, key=has_fundamental_solution)))
