"""Notebook displays and the cell magic `%%pde`."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import pdedsl

HEAT = """
pde Heat "Heat on a ring"
space x in [0, 1] periodic
time t in [0, 1]
unknown u(x, t) : scalar
const κ = 0.1
∂u/∂t = κ Δu
u(x, 0) = sin(2π x)
"""


@pytest.fixture(scope="module")
def shell() -> InteractiveShell:
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "pdedsl")
    return shell


def test_cell_magic(shell: InteractiveShell) -> None:
    with capture_output() as shown:
        shell.run_cell_magic("pde", "heat", HEAT)
    assert isinstance(shell.user_ns["heat"], pdedsl.Compilation)
    (output,) = shown.outputs
    text = output.data["text/markdown"]
    assert r"\frac{\partial u}{\partial t} &= \kappa\,\Delta u" in text
    assert "linearity: proved" in text


def test_cell_with_an_error(shell: InteractiveShell) -> None:
    shell.user_ns.pop("wrong", None)
    with capture_output() as shown:
        shell.run_cell_magic("pde", "wrong", HEAT.replace("κ Δu", "k Δu"))
    assert "wrong" not in shell.user_ns
    assert "\x1b[" in shown.stdout
    assert "<wrong>:7:9" in shown.stdout


def test_cell_saved_as_a_file(shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with capture_output():
        shell.run_cell_magic("pde", "saved.pde", HEAT)
    assert (tmp_path / "saved.pde").read_text("utf-8") == HEAT
    assert pdedsl.load("saved.pde").hash == shell.user_ns["saved"].spec.hash


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("check heat", 0, "heat.pde: Heat: no errors"),
        ("check wrong.pde", 1, "error[E201]"),
        ("check --no-such-option", 2, "No such option"),
    ],
)
def test_line_magic(
    shell: InteractiveShell, line: str, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wrong.pde").write_text(HEAT.replace("κ Δu", "k Δu"), "utf-8")
    with capture_output() as shown:
        shell.run_line_magic("pdedsl", line)
    assert shell.user_ns["_exit_code"] == code
    assert said in shown.stdout


def test_invalid_variable_name(shell: InteractiveShell) -> None:
    with pytest.raises(ValueError, match="valid variable name"):
        shell.run_cell_magic("pde", "two words", HEAT)


def test_representations() -> None:
    compilation = pdedsl.compile(HEAT)
    spec, analysis = compilation.spec, compilation.analysis
    assert repr(spec) == f"Spec(Heat, hash {spec.hash})"
    assert repr(analysis).startswith("Analysis(Heat: linearity proved, ")
    assert repr(compilation) == f"Compilation(Heat by discretization on a grid, hash {spec.hash})"
    assert spec._repr_latex_().startswith("$$\\begin{aligned}")
    assert "| linearity | proved | " in analysis._repr_markdown_()
    assert analysis.axioms["linearity"]._repr_markdown_().startswith("**proved**: ")


def test_forms_of_an_explanation() -> None:
    explanation = pdedsl.explain(HEAT)
    assert str(explanation) == repr(explanation)
    assert "linearity: proved" in str(explanation)
    assert explanation.as_dict()["name"] == "Heat"
    assert explanation.latex().count(r"\item") >= len(explanation.analysis.axioms)


def test_explanation_of_a_spec_with_an_error() -> None:
    explanation = pdedsl.explain(HEAT.replace("κ Δu", "-κ Δu"))
    assert explanation.plan is None
    assert explanation.network[0].startswith("none: ")


@pytest.mark.parametrize("form", ["name", "path", "text", "spec"])
def test_load(form: str, tmp_path: Path) -> None:
    (tmp_path / "heat.pde").write_text(HEAT)
    given: str | Path | pdedsl.Spec = {
        "name": "heat",
        "path": tmp_path / "heat.pde",
        "text": HEAT,
        "spec": pdedsl.parse(HEAT),
    }[form]
    assert pdedsl.load(given).hash == pdedsl.compile(given).spec.hash


def test_display_of_a_solution() -> None:
    solution = pdedsl.solve(HEAT)
    shown = solution._repr_html_()
    assert "Verification" in shown
    assert "<table>" in shown
    assert 'src="data:image/png;base64,' in shown
    assert solution.plot()._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
