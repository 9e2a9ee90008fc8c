"""JSON for the playground: diagnostics, explanation, drawing, code, and offsets in UTF-16 units."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.editor import playground_json
from pdedsl.sources import shipped_specs

BAD = sorted((Path(__file__).parents[1] / "bad").glob("e[1-6]*.pde"))
EACH_CODE = list({file.name[:4]: file for file in BAD}.values())
HEAT = shipped_specs()["heat"].read_text("utf-8")


@pytest.mark.parametrize("file", EACH_CODE, ids=lambda file: file.stem)
def test_report_equals_that_of_the_command_line(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = file.read_text("utf-8")
    Path(playground_json.NAME).write_text(text, "utf-8")
    printed = CliRunner().invoke(cli, ["check", playground_json.NAME])
    found = json.loads(playground_json.check_json(text))
    assert found["report"] == printed.stderr.rstrip("\n")
    assert found["ok"] == (printed.exit_code == 0)


def test_ranges_in_utf16_units() -> None:
    text = f"# 𝑢𝑢𝑢\n{HEAT}".replace("κΔu", "kΔu")
    (found,) = json.loads(playground_json.check_json(text))["diagnostics"]
    units = text.encode("utf-16-le")
    assert units[2 * found["from"] : 2 * found["to"]].decode("utf-16-le") == "k"
    right = text.replace("kΔu", "κΔu")
    said = json.loads(playground_json.hover_json(right, found["from"]))
    assert right.encode("utf-16-le")[2 * said["from"] : 2 * said["to"]].decode("utf-16-le") == "κ"


def test_explanation_and_drawing() -> None:
    explanation = pdedsl.explain(HEAT)
    assert json.loads(playground_json.explanation_json(HEAT)) == [list(section) for section in explanation.sections()]
    assert playground_json.drawing_svg(HEAT) == explanation.svg()
    axioms = json.loads(playground_json.check_json(HEAT))["axioms"]
    assert {a["name"]: a["truth"] for a in axioms} == {k: v.truth for k, v in explanation.analysis.axioms.items()}
    assert any(a["evidence"].startswith("Counterexample: ") for a in axioms if a["truth"] == "refuted")


def test_python_code() -> None:
    text = shipped_specs()["rotation"].read_text("utf-8")
    assert playground_json.python_code(text).splitlines()[5:] == pdedsl.compile("rotation").python().splitlines()[5:]


def test_invalid_spec() -> None:
    broken = "pde P\nspace x in"
    assert json.loads(playground_json.explanation_json(broken)) == []
    assert playground_json.drawing_svg(broken) == playground_json.python_code(broken) == ""
    assert playground_json.format_text(broken, False) == broken
    assert json.loads(playground_json.hover_json(broken, 99)) is None


def test_formatting() -> None:
    assert playground_json.format_text(HEAT, True) == pdedsl.format(HEAT, ascii=True)


def test_fixes_and_completions_in_utf16_units() -> None:
    text = f"# 𝑢𝑢𝑢\n{HEAT}".replace("κΔu", "kapa Δu")
    (found,) = json.loads(playground_json.check_json(text))["diagnostics"]
    [edit] = found["fixes"][0]["edits"]
    units = text.encode("utf-16-le")
    mended = (
        units[: 2 * edit["from"]].decode("utf-16-le") + edit["insert"] + units[2 * edit["to"] :].decode("utf-16-le")
    )
    assert json.loads(playground_json.check_json(mended))["ok"]
    typed = f"# 𝑢𝑢𝑢\n{HEAT}require lin"
    end = len(typed.encode("utf-16-le")) // 2
    proposed = {p["label"]: p for p in json.loads(playground_json.completion_json(typed, end))}
    assert (proposed["linearity"]["from"], proposed["linearity"]["to"]) == (end - 3, end)


def test_the_module_of_the_laboratory_is_that_of_the_compiler() -> None:
    text = shipped_specs()["heat"].read_text("utf-8")
    answer = json.loads(playground_json.laboratory_json(text))
    assert answer["module"] == pdedsl.compile("heat").javascript()
    assert answer["problem"]["axes"] == [{"name": "x", "start": 0.0, "end": 1.0, "periodic": False}]
    assert "parabolic" in answer["about"]


def test_the_laboratory_has_reasons_and_the_places_of_constants() -> None:
    text = shipped_specs()["heat"].read_text("utf-8").replace("κ = 0.1", "κ = -0.1 in [-1, 1]")
    answer = json.loads(playground_json.laboratory_json(text))
    assert answer["reason"].startswith("E418: backward diffusion")
    place = answer["constants"]["κ"]
    assert text[place["from"] : place["to"]] == "const   κ = -0.1 in [-1, 1]"
    assert (
        "curved domains"
        in json.loads(playground_json.laboratory_json(shipped_specs()["poisson_disc"].read_text()))["reason"]
    )
    assert json.loads(playground_json.laboratory_json("pde"))["constants"] == {}


def test_properties_for_exercises() -> None:
    heat = json.loads(playground_json.properties_json(shipped_specs()["heat"].read_text("utf-8")))
    assert heat["error"] == []
    assert heat["equation"] == ["Linear diffusion equation (parabolic), diffusion"]
    assert "maximum_principle: proved" in heat["verdict"]
    assert (heat["method"], heat["condition"]) == (["grid"], ["initial", "boundary"])
    moons = json.loads(playground_json.properties_json(shipped_specs()["enresnet"].read_text("utf-8")))
    assert moons["theorem"] == ["the Feynman-Kac formula"]
    assert moons["evaluation"][0].startswith("fgsm(norm=inf, eps=8/255")
    wrong = json.loads(playground_json.properties_json("pde P\nspace x in [0, 1]\nunknown u(x) : scalar\nΔu = f\n"))
    assert wrong["error"] == ["E201"]
