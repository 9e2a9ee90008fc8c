"""Verdicts for systems with stationary equations and constraints, decided by hand."""

from __future__ import annotations

import pytest

from pdedsl.compiler import to_analysis, to_spec
from pdedsl.diagnostics import Source
from pdedsl.ir.verdicts import Axiom, Proved, Refuted

LINE = """pde P
space x in R
time t in [0, 1]
unknown u(x, t) : scalar
unknown w(x, t) : scalar
{}
{}
u(x, 0) = exp(-x²)
"""
FLOW = """pde P
space (x, y) in [0, 1]^2 periodic
time t in [0, 1]
unknown v(x, y, t) : vector(2)
unknown p(x, y, t) : scalar
unknown c(x, y, t) : scalar
∂v/∂t + v·∇v + ∇p = Δv
∇·v = 0
{}
v(x, y, 0) = [0, 0]
c(x, y, 0) = 0
"""


def verdicts(text: str) -> dict[Axiom, object]:
    return dict(to_analysis(to_spec(Source(text))).axioms)


@pytest.mark.parametrize(
    ("motion", "rest"),
    [
        ("∂u/∂t = Δu + ∂w/∂x", "w = x"),  # Δu + 1
        ("∂u/∂t = Δu + ∂w/∂x", "∂w/∂x = exp(-x²)"),
        ("∂u/∂t = Δu + Δw", "Δw = exp(-x²)"),
        ("∂u/∂t = Δu + Δw", "Δw = u"),  # Δu + u
        ("∂u/∂t = Δu + ∂w/∂x", "∂w/∂x = u"),
        ("∂u/∂t = Δu - ∇·(u∇w)", "Δw = -u"),  # a constant C grows as C²
    ],
)
def test_stationary_unknown_changes_constants_and_mass(motion: str, rest: str) -> None:
    found = verdicts(LINE.format(motion, rest))
    assert not isinstance(found[Axiom.CONSTANTS], Proved)
    assert not isinstance(found[Axiom.CONSERVATION], Proved)


def test_stationary_unknown_preserves_constants() -> None:
    found = verdicts(LINE.format("∂u/∂t = Δu - ∇·(u∇w)", "Δw = w - u"))
    assert isinstance(found[Axiom.CONSTANTS], Proved)


@pytest.mark.parametrize("motion", ["∂c/∂t + v·∇c = 0.1Δc", "∂c/∂t = Δc + (∇·v) c"])
def test_terms_that_vanish_by_a_constraint_refute_nothing(motion: str) -> None:
    """∇·v = 0: v·∇c is ∇·(v c), and the pressure reads all of space."""
    found = verdicts(FLOW.format(motion))
    assert not isinstance(found[Axiom.CONSERVATION], Refuted)
    assert not isinstance(found[Axiom.LOCALITY], Proved)


def test_term_removed_by_a_constraint_is_not_nonlinear() -> None:
    linear = FLOW.format("∂c/∂t = Δc + (∇·v) c").replace("v·∇v + ", "")
    assert not isinstance(verdicts(linear)[Axiom.LINEARITY], Refuted)


CHAIN = LINE.replace("{}\n{}", "unknown z(x, t) : scalar\n{}")


@pytest.mark.parametrize(
    "equations",
    [
        "∂u/∂t = Δu + ∂²z/∂x²\n∂w/∂x = u\n∂z/∂x = w",  # ∂²z/∂x² = u
        "∂u/∂t = Δu + ∂z/∂x\nz = w\n∂w/∂x = u",  # ∂z/∂x = u
        "∂u/∂t = Δu + ∂z/∂x\nw = u\nz = u(0, t)",  # ∂z/∂x = 0
        "∂u/∂t = Δu + z (∂²w/∂x² - ∂u/∂x)\n∂w/∂x = u\nz = w",  # 0
    ],
)
def test_local_after_elimination_is_not_nonlocal(equations: str) -> None:
    for space in ("R", "[0, 1] periodic"):
        found = verdicts(CHAIN.format(equations).replace("in R", f"in {space}"))
        assert not isinstance(found[Axiom.LOCALITY], Refuted)
        assert not isinstance(found[Axiom.MARKOV], Refuted)


def test_stationary_equations_determine_one_unknown_each() -> None:
    """∂²z/∂x² = u: constants grow, and so does mass."""
    found = verdicts(CHAIN.format("∂u/∂t = Δu + ∂²z/∂x²\n∂w/∂x = u\n∂z/∂x = w"))
    assert not isinstance(found[Axiom.CONSTANTS], Proved)
    assert not isinstance(found[Axiom.CONSERVATION], Proved)


@pytest.mark.parametrize("end", ["u - u = 0", "u² = u²", "relu(n·∇u) = 0", "n·∇u (n·∇u - 1) = 0", "|u| - sqrt(u²) = 0"])
def test_degenerate_conditions_prove_nothing(end: str) -> None:
    text = LINE.replace("in R", "in [0, 1]").format("w = u", f"∂u/∂t = Δu\n{end} on boundary")
    found = verdicts(text)
    assert not isinstance(found[Axiom.CONSTANTS], Proved)
    assert not isinstance(found[Axiom.LINEARITY], Proved)


def test_force_balanced_by_pressure_does_not_refute_constants() -> None:
    text = FLOW.format("∂c/∂t = Δc").replace("= Δv", "= Δv + [sin(2π x), 0]")
    assert not isinstance(verdicts(text)[Axiom.CONSTANTS], Refuted)


@pytest.mark.parametrize("equation", ["∂u/∂x ∂²u/∂x² = 0", "(∂²u/∂x²)² = ∂u/∂x ∂²u/∂x²"])
def test_stationary_products_are_not_nonlinear(equation: str) -> None:
    """∂u/∂x ∂²u/∂x² = 0 makes ∂u/∂x constant: u is linear between its ends."""
    text = f"pde P\nspace x in [0, 1]\nunknown u(x) : scalar\n{equation}\nu = x on boundary\n"
    assert not isinstance(verdicts(text)[Axiom.LINEARITY], Refuted)
