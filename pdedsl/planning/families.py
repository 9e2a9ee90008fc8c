"""Plans of families of problems: that of the member at the center, and those of other members."""

from __future__ import annotations

from dataclasses import replace

from pdedsl import errors
from pdedsl.ir.family import Family
from pdedsl.ir.plan import SolvePlan
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.spec import Spec
from pdedsl.planning.solver_selection import plan_solve


def plan_family(problem: StrongForm, spec: Spec) -> SolvePlan:
    """The plan of the member at the center, with the family."""
    spans = [w.span for w in spec.learned if w not in spec.family] + [o.span for o in spec.observations]
    if spans:
        raise errors.families.inverse_problem(spans[0])
    family = Family(problem, spec.family)
    return replace(plan_member(family, (0.0,) * len(family.parameters), spec), family=family)


def plan_member(family: Family, reference: tuple[float, ...], spec: Spec) -> SolvePlan:
    """The plan of the member at reference variables."""
    return plan_solve(family.member(reference), spec)
