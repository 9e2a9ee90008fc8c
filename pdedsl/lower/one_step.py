"""One-step methods: ∂Y/∂t = F(Y, t) from step to step (Hairer, Nørsett, Wanner, chapter II)."""

from __future__ import annotations

from pdedsl.ir.analysis import Analysis
from pdedsl.ir.motions import First
from pdedsl.ir.representation import States
from pdedsl.ir.systems import integrator_of
from pdedsl.ir.theorem import Theorem
from pdedsl.lower.pushes import push_of, single

THEOREM = Theorem(
    "one-step methods",
    "Hairer, Nørsett, Wanner, chapter II",
    "a step of Euler is a residual map; an adaptive solver is a neural ODE",
)


def accepts(analysis: Analysis) -> bool:
    facts = single(analysis)
    return facts is not None and facts.equation.order == 1


def lower(analysis: Analysis) -> States:
    facts = single(analysis)
    assert facts is not None
    return States(THEOREM, First(push_of(facts, analysis.spec)), integrator_of(analysis.spec))
