"""`crosscheck` on R^d: evolution operator and grid."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from texts import SPECS, shipped

import pdedsl
from pdedsl.cli import cli
from pdedsl.config.methods import Grid

COARSE = ("--set", "evaluate.reference=grid(n=24, extent=4)", "--set", "realize.diffusion.samples=1024")


def run_crosscheck(folder: Path, text: str, *more: str) -> tuple[int, str]:
    path = folder / "spec.pde"
    path.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(cli, ["crosscheck", str(path), *more])
    return found.exit_code, found.output


def test_the_evolution_operator_agrees_with_the_reference_grid(tmp_path: Path) -> None:
    block = pdedsl.load(SPECS / "rotation.pde").evaluate
    assert block is not None
    assert block.reference is not None
    assert block.reference.config == Grid(n=128, extent=4)
    code, text = run_crosscheck(tmp_path, shipped("rotation").replace("[0, 1]", "[0, ¼]"), *COARSE)
    assert code == 0, text
    assert "agree: evolution operator, 1,024 samples and grid(n=24, extent=4)" in text


def test_an_operator_with_a_single_step_disagrees(tmp_path: Path) -> None:
    code, text = run_crosscheck(tmp_path, shipped("rotation").replace("steps=64", "steps=1"), *COARSE)
    assert code == 1
    assert "DISAGREE: evolution operator" in text


@pytest.mark.parametrize("name", ["convection_diffusion", "monotone"])
def test_learned_equations_have_no_reference(name: str, tmp_path: Path) -> None:
    code, text = run_crosscheck(tmp_path, shipped(name))
    assert code == 1
    assert "only equations on a physical domain can be solved" in text


def test_an_operator_without_applicable_grid(tmp_path: Path) -> None:
    """Discontinuous diffusion with transport: no grid scheme applies, and the spec requests none."""
    text = shipped("rotation").partition("evaluate")[0].replace("σ²Δu", "σ²(1 + heaviside(x)) Δu")
    code, out = run_crosscheck(tmp_path, text.partition("require")[0], *COARSE[2:])
    assert code == 0, out
    assert "grid is not applicable" in out
    assert "nothing to compare" in out
