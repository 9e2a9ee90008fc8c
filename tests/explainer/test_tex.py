"""LaTeX output is ASCII."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import pdedsl
from pdedsl.cli import cli
from pdedsl.explainer.tex import ascii_tex
from pdedsl.sources import shipped_specs


@pytest.mark.parametrize("name", shipped_specs())
def test_shipped_specs(name: str) -> None:
    for words in (["explain", name, "--latex"], ["compile", name, "--emit", "latex"]):
        result = CliRunner().invoke(cli, words)
        assert result.exit_code == 0, result.output
        assert result.output.isascii()
        assert result.output.count("{") == result.output.count("}")
        assert "aligned" in result.output


def test_signs() -> None:
    assert ascii_tex("a σ² Δ") == r"a \(\sigma {}^{2}\) \(\Delta\)"
    assert ascii_tex("Øksendal: ∇∇u") == r"{\O}ksendal: \(\nabla \nabla\)u"
    assert ascii_tex("λ Kᵀ xᵢ ‖K‖ ≤ 1").isascii()
    assert r"\lambda" in ascii_tex("λ")
    assert ascii_tex("Αο") == r"\(\mathrm{A} o\)"  # Greek letters without a command
    assert ascii_tex("日") == "日"


def test_every_greek_letter_has_a_latex_command() -> None:
    codes = {*range(0x391, 0x3AA), *range(0x3B1, 0x3CA)} - {0x3A2, 0x3C2}  # no letter, and the final sigma
    letters = [chr(code) for code in codes]
    assert len(letters) == 48
    assert all(ascii_tex(letter).isascii() for letter in letters)


def test_names_of_operators_keep_their_index() -> None:
    assert r"{K_{1}}^{\top}" in pdedsl.compile("hamiltonian").spec.latex


def test_the_equation_is_shown_as_it_was_written() -> None:
    shown = pdedsl.load("enresnet").latex
    assert r"\frac{\partial u}{\partial t} + v \cdot \nabla u + \tfrac{1}{2}\,{\sigma}^{2}\,\Delta u &= 0" in shown
    assert r"\ensuremath" not in shown
