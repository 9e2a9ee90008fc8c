"""The maximum principle: u stays between the minimum and the maximum of its data.

For evolution equations the data are the initial and the boundary values, for stationary ones the boundary values. It
follows from comparison with constants, if these solve the equation and the boundary conditions (Evans,
sections 2.3.3 and 6.4).
"""

from __future__ import annotations

from sympy import S

from pdedsl.analysis.axioms.ellipticity import ellipticity
from pdedsl.analysis.axioms.hypotheses import Hypothesis, conclude
from pdedsl.analysis.boundary import face_conditions, is_homogeneous_neumann_problem
from pdedsl.analysis.bounds.sign import box_of, nonnegative, vanishes
from pdedsl.analysis.problem import Problem, spans
from pdedsl.analysis.sample_points import ranges_of
from pdedsl.ir.boundary import Dirichlet, Robin
from pdedsl.ir.verdicts import Proved, Refuted, Verdict


def maximum_principle(problem: Problem, ordered: Verdict, constant: Verdict) -> Verdict:
    jet = problem.jet
    steady = not jet.singular and all(vanishes(s.at_constants) for s in problem.components)
    if isinstance(ordered, Refuted) and jet.is_affine and (steady or not problem.spec.space.boundary):
        why = ordered.reason.removesuffix(".")
        return Refuted(f"no comparison principle holds: {why}.", ordered.counterexample, ordered.offending)
    insulated = not steady and is_homogeneous_neumann_problem(problem) and problem.equation.order == 1
    if insulated and isinstance(constant, Refuted) and set(constant.offending) <= set(spans(problem.right_hand_terms)):
        why = constant.reason.removesuffix(".")
        return Refuted(f"constants are not preserved: {why}.", constant.counterexample, constant.offending)
    constants_bound = steady or _reaction_is_dissipative(problem)
    reason = (
        "constants solve the equation"
        if steady
        else "the reaction is dissipative towards 0, a value within the data range"
    )
    return conclude(
        f"{reason}, and a comparison principle holds",
        (
            Hypothesis("a comparison principle holds", isinstance(ordered, Proved)),
            Hypothesis(
                "constants solve the equation, or the reaction is dissipative towards a value within the data range",
                constants_bound,
            ),
            Hypothesis(
                "every boundary condition is Dirichlet or homogeneous Neumann",
                _is_dirichlet_or_homogeneous_neumann(problem),
            ),
        ),
        () if isinstance(ordered, Proved) else ordered.offending,
    )


def _is_dirichlet_or_homogeneous_neumann(problem: Problem) -> bool:
    kinds = [p.kind for p in face_conditions(problem)]
    return all(isinstance(s, Dirichlet) or (isinstance(s, Robin) and s.is_homogeneous_neumann) for s in kinds)


def _reaction_is_dissipative(problem: Problem) -> bool:
    """Whether F(c) has the sign of -c for constants c, and zero is one of the boundary values."""
    box = box_of(ranges_of(problem.spec, problem.equation))
    has_zero_data = any(isinstance(p.kind, Dirichlet) and p.kind.value == 0 for p in face_conditions(problem))
    jet, at_constants = problem.jet, dict.fromkeys(problem.jet.variables[1:], S.Zero)
    if not has_zero_data or jet.singular or problem.is_vector:
        return False
    sign = -1 if ellipticity(problem).nonnegative else 1  # -Δu + u = 0 is the same stationary equation as Δu - u = 0
    return nonnegative(sign * jet.u * jet.expr.xreplace(at_constants), box)
