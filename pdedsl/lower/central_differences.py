"""Central differences: ∂²Y/∂t² = F(Y) by Y₊ = 2Y - Y₋ + δt² F(Y), or as a first-order system for Y and its speed.

Ruthotto and Haber, eq. 11; Hairer, Lubich, Wanner, section I.1.4.
"""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.motions import Second
from pdedsl.ir.representation import States
from pdedsl.ir.systems import integrator_of
from pdedsl.ir.theorem import Theorem
from pdedsl.lower.pushes import push_of, single

THEOREM = Theorem(
    "central differences in time",
    "Ruthotto, Haber, eq. 11",
    "leapfrog Y₊ = 2Y - Y₋ + δt² F(Y), which runs backwards as well",
)


def accepts(analysis: Analysis) -> bool:
    facts = single(analysis)
    return facts is not None and facts.equation.order == 2


def lower(analysis: Analysis) -> States:
    facts = single(analysis)
    assert facts is not None
    return States(THEOREM, Second(push_of(facts, analysis.spec)), integrator_of(analysis.spec))
