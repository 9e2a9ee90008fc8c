"""`require`: a refuted axiom is an error with location and reason, an undecided one is not; `check --json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from analysis.analysis_cache import analysed
from analysis.spec_templates import data, declared, maps, periodic, plane
from pdedsl.api import compile
from pdedsl.cli import cli
from pdedsl.diagnostics import Diagnostic, PdeError
from pdedsl.ir.analysis import Analysis, EquationClass
from pdedsl.ir.terms import Term
from pdedsl.ir.verdicts import Truth

FUNCTIONS = (
    "linearity",
    "preserves_constants",
    "comparison",
    "markov",
    "locality",
    "spatial_regularity",
    "temporal_regularity",
)
PHYSICAL = (*FUNCTIONS, "maximum_principle", "conservation")
MAPS = ("stability", "energy_decay", "energy_conservation", "reversibility")
VECTOR = "x in R^2"
BOUND = "learn K(t) : operator, ‖K‖ ≤ 1 = conv(3)"
STATIC = "learn K : operator, ‖K‖ ≤ 1 = conv(3)"
TV = "let N = tv_norm(eps=1e-3)"
ZERO_Y_VELOCITY = "∂Y/∂t(x, 0) = 0"
# A spec, an axiom that it breaks, and the term that breaks it.
BROKEN = {
    "Burgers is not linear": (data("∂u/∂t + u ∂u/∂x = 0.1 ∂²u/∂x²"), "linearity", "u ∂u/∂x"),
    "a source is not linear": (data("∂u/∂t = ∂u/∂x + exp(-x²)"), "linearity", "exp(-x²)"),
    "a source moves constants": (data("∂u/∂t = 2 ∂u/∂x + exp(-x²)"), "preserves_constants", "exp(-x²)"),
    "a reaction moves constants": (data("∂u/∂t = ∂u/∂x - 2u"), "preserves_constants", "2u"),
    "Perona-Malik": (data("∂u/∂t = ∇·(exp(-‖∇u‖²) ∇u)", VECTOR), "comparison", "∇·(exp(-‖∇u‖²) ∇u)"),
    "a fourth order": (plane("∂u/∂t = Δu - Δ²u"), "comparison", "Δ²u"),
    "a jump": (data("∂u/∂t = ∂u/∂x + u(x - 1, t)"), "locality", "u(x - 1, t)"),
    "growth": (periodic("∂u/∂t = ∂u/∂x + u"), "maximum_principle", "u"),
    "growth of mass": (periodic("∂u/∂t = 2 ∂u/∂x + 3u"), "conservation", "3u"),
    "relu after tv_norm": (maps("∂Y/∂t = -Kᵀ relu(N(K Y))", declared(BOUND, TV)), "stability", "Kᵀ relu(N(K Y))"),
    "relu, second order": (
        maps("∂²Y/∂t² = -Kᵀ relu(K Y)", STATIC, "leapfrog(steps=3)", ZERO_Y_VELOCITY),
        "stability",
        "Kᵀ relu(K Y)",
    ),
}
# A spec and an axiom that only testing can decide.
OPEN = {
    "a conductivity that vanishes": (periodic("∂u/∂t = u² Δu"), "comparison"),
    "learned rate": (periodic("∂u/∂t = Δu + r u", "learn r : scalar"), "preserves_constants"),
    "learned field": (maps("∂Y/∂t = f(Y, t)", "learn f(Y, t) : channels = convnet"), "stability"),
}
KEPT = {
    "heat": (data("∂u/∂t = Δu", VECTOR), ", ".join(FUNCTIONS)),
    "heat, periodic": (periodic("∂u/∂t = 2Δu + ∂u/∂x"), "maximum_principle, conservation"),
    "symmetric": (maps("∂Y/∂t = -Kᵀ tanh(K Y)", BOUND), "stability, energy_decay"),
}


def with_contract(text: str, axioms: str) -> str:
    return f"{text}require {axioms}\n"


def contract_errors(analysis: Analysis) -> list[Diagnostic]:
    return [d for d in analysis.diagnostics if d.code == "E420"]


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_refuted_requirement_is_an_error_at_its_line(case: tuple[str, str, str]) -> None:
    text, axiom, _ = case
    whole = with_contract(text, axiom)
    (error,) = contract_errors(analysed(whole))
    assert error.severity == "error"
    assert axiom in error.message
    assert whole[error.span.start : error.span.end] == axiom
    assert error.hint.startswith("counterexample: ")
    assert len(error.hint) > len("counterexample: ") + 10


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_offending_term_is_marked(case: tuple[str, str, str]) -> None:
    text, axiom, offending = case
    whole = with_contract(text, axiom)
    (error,) = contract_errors(analysed(whole))
    assert [whole[span.start : span.end].removeprefix("-") for span, _ in error.notes] == [offending]


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_refuted_requirement_does_not_compile(case: tuple[str, str, str]) -> None:
    with pytest.raises(PdeError) as caught:
        compile(with_contract(case[0], case[1]))
    assert "E420" in [d.code for d in caught.value.diagnostics]


@pytest.mark.parametrize("case", OPEN.values(), ids=OPEN)
def test_undecided_requirement_passes(case: tuple[str, str]) -> None:
    analysis = analysed(with_contract(*case))
    assert not contract_errors(analysis)
    assert analysis.axioms[case[1]].truth == "unknown"


@pytest.mark.parametrize("case", KEPT.values(), ids=KEPT)
def test_proved_requirement_passes(case: tuple[str, str]) -> None:
    analysis = analysed(with_contract(*case))
    assert not contract_errors(analysis)
    assert {analysis.axioms[name].truth for name in case[1].split(", ")} == {"proved"}


def test_only_refuted_requirements_are_errors() -> None:
    analysis = analysed(with_contract(data("∂u/∂t = ∂u/∂x - u"), "linearity, preserves_constants, comparison"))
    assert [d.message.split()[0] for d in contract_errors(analysis)] == ["preserves_constants"]


# ---- the command


def check(tmp_path: Path, text: str, *options: str) -> tuple[int, str]:
    file = tmp_path / "row.pde"
    file.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(cli, ["check", *options, str(file)])
    return result.exit_code, result.output


def test_check_shows_term_line_and_counterexample(tmp_path: Path) -> None:
    code, shown = check(tmp_path, with_contract(data("∂u/∂t = ∂u/∂x - 2u"), "preserves_constants"))
    assert code == 1
    for part in ("E420", "require preserves_constants", "∂u/∂t = ∂u/∂x - 2u", "counterexample"):
        assert part in shown


@pytest.mark.parametrize("case", OPEN.values(), ids=OPEN)
def test_check_passes_undecided(tmp_path: Path, case: tuple[str, str]) -> None:
    assert check(tmp_path, with_contract(*case))[0] == 0


SPACES = {
    "data": (data("∂u/∂t = 2 ∂u/∂x + Δu"), PHYSICAL),
    "physical": (periodic("∂u/∂t = 3Δu"), PHYSICAL),
    "pixels": (maps("∂Y/∂t = -Kᵀ tanh(K Y)", BOUND), MAPS),
}


@pytest.mark.parametrize("case", SPACES.values(), ids=SPACES)
def test_json(tmp_path: Path, case: tuple[str, tuple[str, ...]]) -> None:
    text, axioms = case
    code, shown = check(tmp_path, text, "--json")
    row = json.loads(shown)
    assert code == 0
    assert row["ok"]
    assert set(row["axioms"]) == set(axioms)
    for verdict in row["axioms"].values():
        assert {"verdict", "reason"} <= set(verdict)
        assert verdict["verdict"] in list(Truth)


@pytest.mark.parametrize("case", SPACES.values(), ids=SPACES)
def test_json_of_equations(tmp_path: Path, case: tuple[str, tuple[str, ...]]) -> None:
    (equation,) = json.loads(check(tmp_path, case[0], "--json")[1])["equations"]
    assert {"text", "class", "order_in_time", "linear", "terms"} <= set(equation)
    assert equation["class"] in set(EquationClass)
    assert equation["order_in_time"] == 1
    assert equation["text"] in case[0]
    for term in equation["terms"]:
        assert {"kind", "text", "line", "column"} <= set(term)
        assert term["kind"] in {kind.kind for kind in get_args(Term)}
        line = case[0].splitlines()[term["line"] - 1]
        assert line[term["column"] - 1 :].startswith(term["text"].removeprefix("-"))


def test_json_of_refuted_requirement_contains_verdicts(tmp_path: Path) -> None:
    code, shown = check(tmp_path, with_contract(data("∂u/∂t = ∂u/∂x - 2u"), "preserves_constants"), "--json")
    row = json.loads(shown)
    assert code == 1
    assert not row["ok"]
    assert row["axioms"]["preserves_constants"]["verdict"] == "refuted"


def test_averaging_logits_is_not_linear() -> None:
    """Probabilities (0.9, 0.1) and (0.5, 0.5): logits log 9 and 0, their mean log 3, which is 0.75."""
    text = Path(__file__).parents[2].joinpath("specs", "enresnet.pde").read_text("utf-8")
    told = analysed(text.replace("scale=relative", "scale=relative, average=logits"))
    assert analysed(text).axioms["linearity"].truth == "proved"
    assert told.axioms["linearity"].truth == "refuted"
    assert "logits" in told.axioms["linearity"].reason
