"""Symbols, folding ranges, semantic tokens, inlay hints, formatting and code actions."""

from __future__ import annotations

from itertools import pairwise

import pytest

from pdedsl.api import format_source
from pdedsl.diagnostics import Source, Span
from pdedsl.diagnostics.fixes import apply_edits
from pdedsl.editor import actions, analysed, colours, folds, formatted, hints, symbols
from pdedsl.sources import shipped_specs


def text_of(name: str) -> str:
    return shipped_specs()[name].read_text("utf-8")


def test_symbols() -> None:
    found = symbols(analysed(text_of("enresnet")))
    assert [s.name for s in found[:4]] == ["EnResNet", "x", "t", "u"]
    train = next(s for s in found if s.name == "train")
    assert [c.name for c in train.children][:3] == ["data", "epochs", "batch"]
    for symbol in found:
        assert symbol.span.start <= symbol.selection.start <= symbol.selection.end <= symbol.span.end


def test_folding_ranges() -> None:
    text = "# a\n# b\npde P  # c\nspace x in [0,\n  1]\ntrain {\n  epochs 2\n}\n"
    document = analysed(text)
    assert [text[slice(*span)] for span in folds(document)] == [
        "# a\n# b",
        "space x in [0,\n  1]",
        "train {\n  epochs 2\n}",
    ]


@pytest.mark.parametrize("name", ["enresnet", "parabolic", "burgers", "dropout", "inverse_heat"])
def test_semantic_tokens_cover_every_word_once(name: str) -> None:
    document = analysed(text_of(name))
    found = colours(document)
    assert all(a.span.end <= b.span.start for a, b in pairwise(found))
    covered = {i for c in found for i in range(*c.span)}
    plain = {c for i, c in enumerate(document.text) if i not in covered}
    assert not {c for c in plain if c.isalnum()}, plain
    kinds = {document.text[slice(*c.span)]: c.kind for c in found}
    assert kinds["unknown"] == "keyword"


def test_inlay_hints() -> None:
    document = analysed(text_of("convection_diffusion"))
    assert document.spec is not None
    found = {hint.text for hint in hints(document)}
    assert "first layer at t = 1" in found
    assert any(text.startswith("diffusion, ν = ") for text in found)
    assert hints(analysed("pde P\n")) == ()


def test_inlay_hints_survive_an_error_elsewhere() -> None:
    text = shipped_specs()["heat"].read_text("utf-8")
    invalid = text.replace("κ = 0.1", "κ = 0.1\n# longer than before").replace("u(x, 0)", "v(x, 0)")
    valid, wrong = analysed(text), analysed(invalid)
    assert wrong.analysis is None
    assert hints(wrong) == ()
    kept = hints(wrong, valid)
    assert [hint.text for hint in kept] == [hint.text for hint in hints(valid)]
    assert [wrong.text[: hint.offset].splitlines()[-1] for hint in kept] == ["∂u/∂t = κΔu"]
    changed = analysed(wrong.text.replace("κΔu", "2κΔu"))
    assert hints(changed, valid) == ()  # the statement with the hint is another one


@pytest.mark.parametrize("ascii", [False, True])
def test_formatting(ascii: bool) -> None:
    text = text_of("burgers")
    assert formatted(analysed(text), ascii) == format_source(Source(text), ascii)
    assert formatted(analysed("pde ("), ascii) is None


def test_actions_are_quick_fixes_and_conversions() -> None:
    text = text_of("heat").replace("scalar", "scaler")
    found = actions(analysed(text), Span(0, len(text)))
    assert [action.title for action in found] == ["replace with 'scalar'", "convert to ASCII"]
    assert not analysed(apply_edits(text, found[0].edits)).diagnostics
    assert "du/dt = kappa lap(u)" in apply_edits(text, found[1].edits)
    assert not [a for a in actions(analysed(text), Span(0, 3)) if a.cures]
