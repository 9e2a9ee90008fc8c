"""Every rule of the provers decides an axiom of a realistic spec: a shipped one, or a textbook problem."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import pdedsl.analysis
from analysis.spec_templates import NETWORK
from pdedsl.compiler import to_analysis, to_spec
from pdedsl.deep_recursion import run_with_big_stack
from pdedsl.diagnostics import Source
from pdedsl.ir.verdicts import Proved, Refuted
from pdedsl.sources import find_shipped

PACKAGE = Path(pdedsl.analysis.__file__).parent
MODULES = (
    *("axioms/linearity.py", "axioms/preserves_constants.py", "axioms/markov.py", "axioms/comparison.py"),
    *("axioms/regularity.py", "axioms/maximum_principle.py", "axioms/conservation.py"),
    *("feature_maps/axioms.py", "feature_maps/contractivity.py"),
)
LINE = "space x in {}\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
LAYER = "space x in pixels\ntime t in [0, 3]\nunknown Y(x, t) : channels\n{}\n"
TEXTBOOK = {
    # Carslaw and Jaeger: heat with a source on the line; a rod with prescribed fluxes at both ends
    "source": LINE.format("R") + "∂u/∂t = ∂²u/∂x² + exp(-x²)\nu(x, 0) = exp(-x²)\n",
    "rod": LINE.format("[0, 1]")
    + "∂u/∂t = ∂((1 + x²) ∂u/∂x)/∂x\nu(x, 0) = sin(π x)\nn·∇u = 2 on left\nn·∇u = -1 on right\n",
    # a periodic string that is struck
    "string": LINE.format("[0, 1] periodic") + "∂²u/∂t² = ∂²u/∂x²\nu(x, 0) = sin(2π x)\n∂u/∂t(x, 0) = cos(2π x)\n",
    # Mandel and Wolf: the amplitude of a degenerate parametric oscillator
    "amplifier": "time t in [0, 1]\nunknown a(t) : complex\n∂a/∂t = -a + ½conj(a)\na(0) = 1\n",
    # Ruthotto and Haber: linear layers of first and second order
    "decay": LAYER.format("∂Y/∂t = -Y\nrealize time by heun(steps=2)") + NETWORK,
    "oscillation": LAYER.format(
        "learn K : operator, ‖K‖ ≤ 1 = conv(3)\n∂²Y/∂t² = -Kᵀ K Y\n∂Y/∂t(x, 0) = 0\nrealize time by leapfrog(steps=3)"
    )
    + NETWORK,
}
RULES = {
    "allen_cahn": ("_nonlinear", "_nonzero_rate_verdict", "_non_divergence_verdict", "conservation", "_parabolic"),
    "poisson": ("_source_verdict", "_elliptic"),
    "black_scholes": ("_condition_verdict", "preserves_constants"),
    "wave": ("markov", "_wave"),
    "kdv": ("_high_order", "_divergence_verdict"),
    "advection": ("locality", "spatial_regularity", "temporal_regularity", "maximum_principle"),
    "convex_potential": ("_stability", "_energy_decay", "_energy_conservation", "contractivity_verdict", "dissipative"),
    "revnet": ("_reversibility",),
    "source": ("_source_verdict_on_whole_space",),
    "rod": ("_source_verdict",),
    "string": ("_verdict_from_initial_velocity",),
    "amplifier": ("_complex_verdict",),
    "decay": ("_linear_verdict",),
    "oscillation": ("oscillator_verdict",),
}


def deciding_functions() -> set[str]:
    """The functions of the provers that make a verdict."""
    return {
        node.name
        for module in MODULES
        for node in ast.parse((PACKAGE / module).read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and any(
            isinstance(n, ast.Call) and ast.unparse(n.func) in ("Proved", "Refuted", "conclude") for n in ast.walk(node)
        )
    }


def test_every_rule_is_listed() -> None:
    assert {rule for rules in RULES.values() for rule in rules} == deciding_functions()


@pytest.mark.parametrize("name", RULES)
def test_rules_decide(name: str) -> None:
    shipped = find_shipped(name)
    text = shipped.read_text("utf-8") if shipped else f"pde Problem\n{TEXTBOOK[name]}"
    decided = set()

    def note(frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and isinstance(value, Proved | Refuted):
            decided.add(frame.f_code.co_name)

    def analyze() -> None:
        spec = to_spec(Source(text))
        sys.setprofile(note)
        try:
            to_analysis(spec)
        finally:
            sys.setprofile(None)

    run_with_big_stack(analyze)  # a profile belongs to one thread
    assert decided >= {*RULES[name]}
