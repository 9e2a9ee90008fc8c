"""Vector calculus: curl, transposed gradient, symmetric part, trace and identity, against identities and components."""

from __future__ import annotations

from typing import get_args

import pytest

import pdedsl
from pdedsl.compiler import check, to_spec
from pdedsl.diagnostics import PdeError, Source
from pdedsl.editor.completion import complete
from pdedsl.editor.document import analysed
from pdedsl.language.ast import Operator
from pdedsl.language.printing.latex import OPERATORS

TIME = "time t in [0, 1]\n"
PLANE = f"pde P\nspace (x, y) in [0, 1]^2 periodic\n{TIME}unknown u(x, y, t) : vector\nunknown s(x, y, t) : scalar\n"
SPACE = PLANE.replace("(x, y)", "(x, y, z)").replace("^2", "^3").replace("(x, y, t)", "(x, y, z, t)")
START = {PLANE: "u(x, y, 0) = 0\ns(x, y, 0) = 0\n", SPACE: "u(x, y, z, 0) = 0\ns(x, y, z, 0) = 0\n"}


def text_of(head: str, unknown: str, expression: str) -> str:
    other = {"u": "∂s/∂t = Δs", "s": "∂u/∂t = Δu"}[unknown]
    return f"{head}let f = x y² cos(x)\n∂{unknown}/∂t = {expression}\n{other}\n{START[head]}"


def rows(head: str, unknown: str, expression: str) -> list[str]:
    """The components of an expression, the right-hand side of the equation for an unknown."""
    return [str(e) for e in to_spec(Source(text_of(head, unknown, expression))).equations[0].rhs]


@pytest.mark.parametrize(
    ("head", "unknown", "left", "right"),
    [
        (SPACE, "u", "∇×u", "[∂u₃/∂y - ∂u₂/∂z, ∂u₁/∂z - ∂u₃/∂x, ∂u₂/∂x - ∂u₁/∂y]"),
        (SPACE, "u", "∇×∇×u", "∇(∇·u) - Δu"),
        (SPACE, "s", "∇·(∇×u) + s", "s"),
        (SPACE, "u", "∇×(∇s) + u", "u"),
        (SPACE, "u", "∇×(f u)", "[∂(f u₃)/∂y - ∂(f u₂)/∂z, ∂(f u₁)/∂z - ∂(f u₃)/∂x, ∂(f u₂)/∂x - ∂(f u₁)/∂y]"),
        (SPACE, "u", "curl(u)", "rot u"),
        (PLANE, "s", "∇×u", "∂u₂/∂x - ∂u₁/∂y"),
        (PLANE, "u", "∇×s", "[∂s/∂y, -∂s/∂x]"),
        (PLANE, "s", "∇×∇×s", "-Δs"),
        (PLANE, "u", "∇×∇×u", "∇(∇·u) - Δu"),
        (PLANE, "u", "∇·(∇u)", "Δu"),
        (PLANE, "u", "∇·(∇uᵀ)", "∇(∇·u)"),
        (PLANE, "u", "∇·(∇uᵀ)", "∇·((∇u)ᵀ)"),
        (PLANE, "u", "2∇·sym(∇u)", "∇·(∇u + ∇uᵀ)"),
        (PLANE, "s", "tr(∇u)", "∇·u"),
        (PLANE, "s", "tr(sym(∇u))", "∇·u"),
        (PLANE, "u", "∇·(s I)", "∇s"),
        (PLANE, "u", "I u", "u"),
        (SPACE, "u", "cross(u, [1, 0, 0])", "[0, u₃, -u₂]"),
        (SPACE, "u", "cross(u, ∇s)", "-cross(∇s, u)"),
        (SPACE, "u", "cross(u, cross([0, 0, 1], u))", "[-u₁ u₃, -u₂ u₃, u₁² + u₂²]"),
        (PLANE, "s", "cross(u, [x, y])", "u₁ y - u₂ x"),
        (PLANE, "s", "∇u:I", "∇·u"),
        (PLANE, "s", "tr(I) s", "2 s"),
        (SPACE, "s", "sym(∇u):∇u", "½ ‖∇u‖² + ½ (∇u):(∇uᵀ)"),
        (PLANE, "u", "u·∇u", "[u₁ ∂u₁/∂x + u₂ ∂u₁/∂y, u₁ ∂u₂/∂x + u₂ ∂u₂/∂y]"),
        (PLANE, "u", "∇u u", "u·∇u"),
        (PLANE, "u", "∇·(2 sym(∇u) - s I)", "Δu + ∇(∇·u) - ∇s"),
    ],
)
def test_identities(head: str, unknown: str, left: str, right: str) -> None:
    assert rows(head, unknown, left) == rows(head, unknown, right)


def test_all_components_of_a_longer_vector() -> None:
    head = "pde P\nspace (x, y) in [0, 1]^2\nunknown w(x, y) : vector(3)\nlet v = [1, x]\n"
    spec = to_spec(Source(f"{head}-Δw + v·∇w = w\n∂w/∂n = 0 on left, right\nn·∇w = 0 on bottom, top\n"))
    assert len(spec.equations[0].rhs) == 3
    assert [len(c.value) for c in spec.conditions] == [3, 3]


def test_declared_names_take_precedence() -> None:
    text = f"{text_of(PLANE, 'u', 'I Δu + tr(3) u')}const I = 2\nlet tr(q) = q²\n"
    assert to_spec(Source(text)).hash == to_spec(Source(text_of(PLANE, "u", "2Δu + 9u"))).hash


@pytest.mark.parametrize(
    ("expression", "ascii_text"),
    [
        ("∇×∇×u - Δ∇×u", "curl(curl(u)) - lap(curl(u))"),
        ("∇×(u + ∇s) - ∇·(∇uᵀ + s I)", "curl(u + grad(s)) - div(grad(adj(u)) + s I)"),
        ("∇(∇·∇×u)", "grad(div(curl(u)))"),
        ("cross(∇s, u)", "cross(grad(s), u)"),
    ],
)
def test_formatting_is_a_fixed_point_with_the_same_hash(expression: str, ascii_text: str) -> None:
    text = text_of(SPACE, "u", f"{expression} + u")
    for ascii in (False, True):
        once = pdedsl.format(text, ascii=ascii)
        assert pdedsl.format(once, ascii=ascii) == once
        assert to_spec(Source(once)).hash == to_spec(Source(text)).hash
        assert (ascii_text if ascii else expression) in once


def test_latex() -> None:
    latex = to_spec(Source(text_of(PLANE, "u", "∇×(∇×u) + ∇·(∇uᵀ) + tr(∇u) u + cross(u, ∇s) u"))).latex
    assert r"\left(u\right) \times \left(\nabla s\right)" in latex
    assert r"\nabla\times \nabla\times u" in latex
    assert r"\nabla {u}^{\top}" in latex
    assert r"\operatorname{tr}\left(\nabla u\right)" in latex


def test_completion() -> None:
    text = f"{PLANE}∂u/∂t = "
    assert {"curl", "sym", "tr", "cross"} <= {item.label for item in complete(analysed(text), len(text))}


def test_every_operator_has_a_sign() -> None:
    assert set(OPERATORS) == set(get_args(Operator))


@pytest.mark.parametrize(
    ("unknown", "expression", "code"),
    [
        ("u", "∇×(∇u)", "E302"),
        ("u", "sym(u)", "E302"),
        ("s", "tr(s)", "E302"),
        ("s", "tr(∇u, ∇u)", "E307"),
        ("u", "uᵀ", "E302"),
        ("s", "∇*u", "E111"),
        ("s", "cross(u, s)", "E302"),
        ("s", "cross(u)", "E307"),
        ("s", "sym(∇u)", "E301"),
    ],
)
def test_errors(unknown: str, expression: str, code: str) -> None:
    with pytest.raises(PdeError) as caught:
        rows(PLANE, unknown, expression)
    assert code in {d.code for d in caught.value.diagnostics}


@pytest.mark.parametrize(("expression", "codes"), [("-∇×∇×u", []), ("∇×∇×u", ["E418"]), ("∇×u", ["E418"])])
def test_growth_of_high_frequencies(expression: str, codes: list[str]) -> None:
    """The symbol of ∇×∇× has the eigenvalues 0, ‖ξ‖², ‖ξ‖², that of ∇× the eigenvalues 0, ±‖ξ‖."""
    assert [d.code for d in check(Source(text_of(SPACE, "u", expression))).errors] == codes
