"""Adaptive methods: the step sizes depend on the state, so that no bound is proved and no run is simulated."""

from __future__ import annotations

import pytest

from analysis.analysis_cache import analysed
from analysis.spec_templates import maps
from pdedsl.ir.verdicts import Axiom, Undecided

ONE = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
TEXTS = (
    maps("∂Y/∂t = -Y", "", "dopri5"),
    maps("∂Y/∂t = 0.5Y", "", "bosh3"),
    maps("∂Y/∂t = -Kᵀ tanh(K Y)", ONE, "bosh3"),
    maps("∂Y/∂t = Kᵀ tanh(K Y)", ONE, "dopri5(rtol=1e-5, atol=1e-6)"),
    maps("∂Y/∂t = Z\n∂Z/∂t = -Y", "", "dopri5"),
    maps("∂Y/∂t = Y", "", "dopri8"),
    maps("∂Y/∂t = Y", "", "dopri5(adjoint=true)"),
)


@pytest.mark.parametrize("text", TEXTS)
def test_adaptive_steps_are_undecided(text: str) -> None:
    verdicts = analysed(text).axioms
    assert isinstance(verdicts[Axiom.STABILITY], Undecided)
    assert isinstance(verdicts[Axiom.ENERGY_DECAY], Undecided)
