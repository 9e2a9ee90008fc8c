"""Notation of textbooks and other programs: accepted if unambiguous, otherwise reported with a suggested fix."""

from __future__ import annotations

from pathlib import Path

import pytest

import pdedsl
from pdedsl.api import format, parse
from pdedsl.diagnostics import Diagnostic, PdeError

HEAD = "pde A\nspace x in [0, 1]\ntime t in [0, 1]\nunknown u(x, t) : scalar\nconst κ = 0.1\n"
PLANE = "pde A\nspace (x, y) in [0, 1]^2 periodic\ntime t in [0, 1]\nunknown H(x, y, t) : vector(2)\n"
TAIL = "\nu(x, 0) = sin(π x)\nu = 0 on boundary\n"


def heat(equation: str) -> str:
    return HEAD + equation + TAIL


def sides(condition: str) -> str:
    return HEAD + "∂u/∂t = κ Δu\nu(x, 0) = sin(π x)\n" + condition + "\n"


SAME = [
    ("u_t = κ u_xx", "∂u/∂t = κ ∂²u/∂x²"),
    ("u_t = κ u_{xx}", "∂u/∂t = κ ∂²u/∂x²"),
    ("u_{,t} = κ u_{,xx}", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂u/∂t = κ Δu ÷ 2", "∂u/∂t = κ Δu/2"),
    ("∂u/∂t = κ Δu + Δ^2 sin(x)", "∂u/∂t = κ Δu + Δ² sin(x)"),
    ("u_t = κ u_xx + u_xt", "∂u/∂t = κ ∂²u/∂x² + ∂²u/∂x∂t"),
    ("∂_t u = κ ∂_xx u", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂_t u = κ ∂_{xx} u", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂_t u = κ ∂_x^2 u", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂_t u = κ ∂_x² u", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂ₜu = κ ∂ₓₓu", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂ₜu = κ ∂ₓ²u", "∂u/∂t = κ ∂²u/∂x²"),
    ("uₜ = κ uₓₓ", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂t u = κ ∂x∂x u", "∂u/∂t = κ ∂²u/∂x²"),
    ("d/dt u = κ d²/dx² u", "∂u/∂t = κ ∂²u/∂x²"),
    ("d/dt u = d/dx(κ du/dx) - d^2/dxdt u", "∂u/∂t = ∂(κ ∂u/∂x)/∂x - ∂²u/∂x∂t"),
    ("∂u/∂t = κ Δu - ∂u²/∂x", "∂u/∂t = κ Δu - ∂(u²)/∂x"),
    ("∂u/∂t = κ ∂^2u/∂x^2", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂u/∂t = κ ∂^2 u / ∂x^2", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂u/∂t = κ ∂2u/∂x2", "∂u/∂t = κ ∂²u/∂x²"),
    ("du/dt = κ d^2u/dx^2", "∂u/∂t = κ ∂²u/∂x²"),
    ("du/dt = κ d²u/dx²", "∂u/∂t = κ ∂²u/∂x²"),
    ("∂u/∂t = κ nabla² u", "∂u/∂t = κ Δu"),
    ("∂u/∂t = κ ∇^2 u", "∂u/∂t = κ Δu"),
    ("∂u/∂t = κ nabla^2 u", "∂u/∂t = κ Δu"),
    ("∂u/∂t = κ laplace(u)", "∂u/∂t = κ Δu"),
    ("∂u/∂t = κ Laplacian u", "∂u/∂t = κ Δu"),
    ("∂u/∂t = κ div(grad u)", "∂u/∂t = κ ∇·(∇u)"),
    ("∂u/∂t = κ Δu + ln(2 + x)", "∂u/∂t = κ Δu + log(2 + x)"),
    ("∂u/∂t = κ Δu + e^(-t)", "∂u/∂t = κ Δu + exp(-t)"),
    ("∂u/∂t = κ Δu + √x", "∂u/∂t = κ Δu + sqrt(x)"),
    ("∂u/∂t = κ Δu + √(1 + x)", "∂u/∂t = κ Δu + sqrt(1 + x)"),
    ("∂u/∂t = κ Δu - pow(u, 2)", "∂u/∂t = κ Δu - u²"),
    ("∂u/∂t = κ Δu - pow(1 + u, x)", "∂u/∂t = κ Δu - (1 + u)^x"),
    ("∂u/∂t = κ Δu - u**2", "∂u/∂t = κ Δu - u²"),
    ("∂u/∂t == κ Δu", "∂u/∂t = κ Δu"),
    ("∂u/∂t := κ Δu", "∂u/∂t = κ Δu"),
    ("∂u/∂t = 2½u + κ Δu", "∂u/∂t = 5/2 u + κ Δu"),
    ("∂𝑢/∂𝑡 = 𝜅 Δ𝑢", "∂u/∂t = κ Δu"),
    ("∂u/∂t = κ • Δu – u", "∂u/∂t = κ Δu - u"),
    ("∂u/∂t ＝ κ Δu", "∂u/∂t = κ Δu"),
]


@pytest.mark.parametrize(("theirs", "ours"), SAME, ids=[theirs for theirs, _ in SAME])
def test_unambiguous_notation_is_accepted(theirs: str, ours: str) -> None:
    assert parse(heat(theirs)).canonical == parse(heat(ours)).canonical
    for ascii in (False, True):
        once = format(heat(theirs), ascii)
        assert format(once, ascii) == once
        assert parse(once).canonical == parse(heat(ours)).canonical


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("du/dn = 0 on boundary", "n·∇u = 0 on boundary"),
        ("u_n = 0 on boundary", "n·∇u = 0 on boundary"),
        ("∂u/∂n + 2u = 1 on boundary", "n·∇u + 2u = 1 on boundary"),
        ("u = 0 on ∂Ω", "u = 0 on boundary"),
    ],
)
def test_boundary_conditions(theirs: str, ours: str) -> None:
    assert parse(sides(theirs)).canonical == parse(sides(ours)).canonical


def test_derivatives_of_components() -> None:
    theirs, ours = "∂H/∂t = [∂H₂/∂x, -∂H₁/∂y]", "∂H/∂t = [∂(H₂)/∂x, -∂(H₁)/∂y]"
    start = "\nH(x, y, 0) = [0, 0]\n"
    assert parse(PLANE + theirs + start).canonical == parse(PLANE + ours + start).canonical


@pytest.mark.parametrize("written", ["train { steps = 5 }", "train { steps: 5 }", "train\n{\n  steps 5\n}"])
def test_blocks_in_the_style_of_other_languages(written: str) -> None:
    block = parse(heat("∂u/∂t = κ Δu") + written + "\n").train
    assert block is not None
    assert block.steps == 5


def test_named_arguments_on_separate_lines() -> None:
    block = parse(heat("∂u/∂t = κ Δu") + "train {\n  optimizer adam(\n    lr=0.5)\n}\n").train
    assert block is not None
    assert block.optimizer[0].config.lr == pytest.approx(0.5)  # type: ignore[union-attr]


def test_curly_quotes_in_titles() -> None:
    spec = parse(heat("∂u/∂t = κ Δu").replace("pde A", "pde A “the field 𝑢”"))
    assert spec.title == "the field 𝑢"


def test_declared_name_is_not_a_derivative() -> None:
    text = heat("∂u/∂t = u_x Δu").replace("const κ", "const u_x")
    assert "∂²u" not in format(text)
    assert parse(text).canonical == parse(heat("∂u/∂t = κ Δu")).canonical


CURES = [
    (heat("∂u/∂t = 1,5 Δu + κ u"), "E111", "write: 1.5"),
    (heat("∂u/∂t = κ Δu + sin⁻¹ x"), "E105", "asin"),
    (heat("∂u/∂t = 1.5.2 Δu + κ u"), "E108", "one decimal point"),
    (heat("∂u/∂t = κ Δu // fast"), "E111", "write: #"),
    (heat("/* fast */ ∂u/∂t = κ Δu"), "E111", "write: #"),
    (heat("∂u/∂t = κ Δu % fast"), "E101", "#"),
    (heat("$∂u/∂t = κ Δu$"), "E111", "write: ∂u/∂t = κ Δu"),
    (heat(r"\frac{\partial u}{\partial t} = \kappa \frac{\partial^2 u}{\partial x^2}"), "E111", "∂u/∂t = κ ∂²u/∂x²"),
    (heat(r"\partial_t u = \kappa\,\nabla^2 u - \sin{u}"), "E111", "∂_t u = κ ∇² u - sin(u)"),
    (heat("u' = κ Δu"), "E101", "∂u/∂t"),
    (heat("∂u/∂t = κ Δu + √x²"), "E105", "parentheses"),
    (heat("∂u/∂t = κ ∂²u/∂y²"), "E201", "space (x, y)"),
    (heat("∂u/∂t = κ Δu").replace("const κ", "κ"), "E201", "const κ"),
    (heat("∂u/∂t = κ Δu").replace("time t in [0, 1]\n", ""), "E201", "time t in [0, 1]"),
    (heat("∂u/∂t = κ Δu").replace("x in [0, 1]", "x in [0, inf]"), "E201", "must be finite"),
    (heat("∂u/∂t = κ Δu").replace("space", "domain"), "E106", "'space'"),
    (sides("u(0, t) = u(1, t) = 0"), "E111", "u = 0 on boundary"),
]


@pytest.mark.parametrize(("text", "code", "cure"), CURES, ids=[f"{code}-{cure}" for _, code, cure in CURES])
def test_one_error_with_suggested_fix(text: str, code: str, cure: str) -> None:
    found = _errors(text)
    assert [d.code for d in found] == [code]
    assert cure in found[0].hint


def test_suggested_line_is_accepted() -> None:
    written = r"\frac{\partial u}{\partial t} = \kappa \Delta u - \left(1 + u\right)^{2} u + \sqrt{x}"
    (found,) = _errors(heat(written))
    shown = found.hint.removeprefix("write: ")
    assert parse(heat(shown)).canonical == parse(heat("∂u/∂t = κ Δu - (1 + u)² u + sqrt(x)")).canonical


def _documented() -> list[tuple[str, str]]:
    page = (Path(__file__).parents[2] / "grammar" / "README.md").read_text("utf-8")
    table = page.split("### Alternative notations")[1].split("\n\n")[2]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]
    return [(theirs.strip("`"), ours.strip("`")) for theirs, ours in rows]


@pytest.mark.parametrize(("theirs", "ours"), _documented())
def test_table_of_the_reference(theirs: str, ours: str) -> None:
    start = heat("").replace("const κ = 0.1\n", "")
    assert parse(start + theirs + "\n").canonical == parse(start + ours + "\n").canonical


def _errors(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(PdeError) as caught:
        pdedsl.parse(text)
    return tuple(d for d in caught.value.diagnostics if d.is_error)
