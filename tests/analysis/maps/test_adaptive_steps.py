"""Adaptive methods: counterexamples are reproduced by the compiled network."""

from __future__ import annotations

import pytest
import torch

from analysis.analysis_cache import analysed
from analysis.maps.test_rows import filled, prepared
from analysis.spec_templates import maps
from pdedsl.ir.verdicts import Axiom, Refuted, Undecided

ONE = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
TV = f"let N = tv_norm(eps=1e-3)\n{ONE}"
GROWING = (
    maps("∂Y/∂t = Y", "", "dopri5"),
    maps("∂Y/∂t = 0.5Y", "", "bosh3"),
    maps("∂Y/∂t = 2Y", "", "adaptive_heun"),
    maps("∂Y/∂t = Kᵀ tanh(K Y)", ONE, "dopri5(rtol=1e-5, atol=1e-6)"),
    maps("∂Y/∂t = -Kᵀ sin(K Y)", "learn K : operator = conv(3)", "dopri5"),
    maps("∂Y/∂t = -Kᵀ relu(N(K Y))", TV, "dopri5"),
    maps("∂Y/∂t = Z\n∂Z/∂t = Y", "", "bosh3"),
    maps("∂Y/∂t = Z\n∂Z/∂t = -Y", "", "dopri5"),  # which takes a state of 0.01, near atol, in one long step
)
AXIOMS = (Axiom.STABILITY, Axiom.ENERGY_DECAY, Axiom.ENERGY_CONSERVATION)


@torch.no_grad()
@pytest.mark.parametrize("text", GROWING)
def test_network_reproduces_counterexample(text: str) -> None:
    verdicts = analysed(text).axioms
    assert isinstance(verdicts[Axiom.STABILITY], Refuted), verdicts[Axiom.STABILITY]
    for verdict in (v for a, v in verdicts.items() if a in AXIOMS and isinstance(v, Refuted)):
        example = verdict.example
        assert example is not None
        block, states = prepared(text, example), [filled(state) for state in example.states]
        ends = [block(state) for state in states]
        start, end = (states[0] - states[1], ends[0] - ends[1]) if len(states) == 2 else (states[0], ends[0])
        assert float(end.norm() / start.norm()) == pytest.approx(example.growth, rel=1e-6)
        assert "adaptive steps" in verdict.counterexample


STEADY = (
    maps("∂Y/∂t = -Y", "", "dopri5"),
    maps("∂Y/∂t = -Kᵀ tanh(K Y)", ONE, "bosh3"),
    maps("∂Y/∂t = Y", "", "dopri8"),  # whose steps are those of another library
    maps("∂Y/∂t = Y", "", "dopri5(norm=batch)"),  # whose steps are those of the batch
    maps("∂Y/∂t = Y", "", "dopri5(adjoint=true)"),
)


@pytest.mark.parametrize("text", STEADY)
def test_contractive_or_not_simulated_is_not_refuted(text: str) -> None:
    assert isinstance(analysed(text).axioms[Axiom.STABILITY], Undecided)
