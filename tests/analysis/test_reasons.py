"""Reasons of verdicts name the argument that was used."""

from __future__ import annotations

import pytest

from analysis.analysis_cache import analysed
from analysis.spec_templates import data, interval, periodic, periodic_box, stationary, system
from pdedsl.ir.verdicts import Axiom

SQUARE = "(x, y) in [0, 1]^2"


@pytest.mark.parametrize(
    ("axiom", "text", "reason"),
    [
        (Axiom.MAXIMUM_PRINCIPLE, stationary("Δu = u³", "", SQUARE), "the reaction is dissipative towards 0"),
        (Axiom.MAXIMUM_PRINCIPLE, stationary("Δu = 0", "", SQUARE), "constants solve the equation"),
        (
            Axiom.CONSTANTS,
            periodic("∂u/∂t = -∂(u²/(u² + (1 - u)²))/∂x"),
            "it could not be shown that the equation is defined",
        ),
        (Axiom.CONSTANTS, periodic_box("∂u/∂t = ∇·(‖∇u‖ ∇u)"), "it could not be shown that the equation is defined"),
        (Axiom.CONSTANTS, periodic("∂u/∂t = Δu"), "every term contains a derivative"),
        (Axiom.CONSTANTS, periodic("∂u/∂t = Δu + u(x + ½, t) - u"), "the terms cancel"),
        (Axiom.CONSTANTS, system("u w", "∂u/∂t = Δu + w - u\nΔw = w - u", stationary="w"), "the terms cancel"),
        (
            Axiom.CONSTANTS,
            interval("∂u/∂t = Δu", "relu(n·∇u) = 0 on boundary"),
            "'relu(n·∇u) = 0 on boundary' may be degenerate",
        ),
        (Axiom.SPATIAL_REGULARITY, data("∂u/∂t = Δu + u(0, t)"), "nonlocal terms are not covered"),
    ],
)
def test_reasons(axiom: Axiom, text: str, reason: str) -> None:
    assert analysed(text).axioms[axiom].reason.startswith(reason)
