"""LaTeX is ASCII: any engine reads it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.ir.tex import ascii_tex
from pdedsl.shipped import shipped_specs


@pytest.mark.parametrize("name", shipped_specs())
def test_shipped_specs(name: str) -> None:
    for words in (["explain", name, "--latex"], ["compile", name, "--emit", "latex"]):
        result = CliRunner().invoke(cli, words)
        assert result.exit_code == 0, result.output
        assert result.output.isascii()
        assert result.output.count("{") == result.output.count("}")
        assert "aligned" in result.output


def test_signs() -> None:
    assert ascii_tex("a σ² Δ") == r"a \ensuremath{\sigma}\ensuremath{{}^{2}} \ensuremath{\Delta}"
    assert ascii_tex("λ Kᵀ xᵢ ‖K‖ ≤ 1").isascii()
    assert r"\lambda" in ascii_tex("λ")
    assert ascii_tex("日") == "日"


def test_names_of_operators_keep_their_index() -> None:
    assert r"\_{1}" not in pdedsl.compile("hamiltonian").spec._repr_latex_()
