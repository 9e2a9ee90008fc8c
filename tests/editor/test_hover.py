"""Hover texts of names, terms, axioms and calls, and at every offset of every shipped spec."""

from __future__ import annotations

import pytest

from pdedsl.editor import Document, Hover, analysed, hover
from pdedsl.sources import shipped_specs


def at(document: Document, mark: str, within: str) -> Hover:
    """The hover at the first `mark` of a part of the text."""
    found = hover(document, document.text.index(within) + within.index(mark))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def enresnet() -> Document:
    return analysed(shipped_specs()["enresnet"].read_text("utf-8"))


def test_hover_of_a_term(enresnet: Document) -> None:
    found = at(enresnet, "Δ", "½σ²Δu")
    assert enresnet.text[slice(*found.span)] == "½σ²Δu"
    assert "**diffusion**" in found.text
    assert "ν = 0.005" in found.text  # ½·0.1², in the direction of the data
    assert "block 1 of 1: residual blocks of resnet(depth=20, width=16)" in found.text
    assert found.latex == r"\tfrac{1}{2}\,{\sigma}^{2}\,\Delta u"


def test_hover_of_a_name(enresnet: Document) -> None:
    found = at(enresnet, "v", "v·∇u")
    assert enresnet.text[slice(*found.span)] == "v"
    assert "**learned**: vector, by resnet(depth=20, width=16)" in found.text
    assert "learn v(x, t) : vector = resnet(depth=20)" in found.text
    assert "**convection**" in found.text
    assert "**constant** = 0.1" in at(enresnet, "σ", "σ²Δu").text


def test_hover_in_a_derivative(enresnet: Document) -> None:
    assert "**time** from 0 to 1" in at(enresnet, "t +", "∂t + v").text


def test_hover_of_an_equation(enresnet: Document) -> None:
    assert "convection-diffusion" in at(enresnet, "= 0", " = 0\nu(x").text


def test_hover_of_an_axiom() -> None:
    document = analysed(shipped_specs()["rotation"].read_text("utf-8") + "\nrequire conservation\n")
    assert document.analysis is not None
    verdict = document.analysis.axioms["conservation"]
    found = at(document, "conservation", "require conservation")
    assert f"conservation: {verdict.truth}." in found.text


def test_hover_of_a_method(enresnet: Document) -> None:
    noise = at(enresnet, "noise", "noise(members").text
    assert "`samples`: noise samples of an average; an integer, at least 1, at most 10,000,000; default 1" in noise
    assert "default exact" in at(enresnet, "scale", "scale=relative").text
    assert "default 10" in at(enresnet, "epochs", "epochs ").text


@pytest.mark.parametrize("name", shipped_specs())
def test_hover_at_every_offset(name: str) -> None:
    document = analysed(shipped_specs()[name].read_text("utf-8"))
    assert not document.names.unplaced
    for offset in range(len(document.text) + 1):
        found = hover(document, offset)
        assert found is None or found.span.start <= offset <= found.span.end
    for occurrence in document.names.occurrences:
        if occurrence.of is not None:
            assert hover(document, occurrence.span.start) is not None
