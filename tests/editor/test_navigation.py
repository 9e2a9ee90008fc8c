"""Definitions, references and renaming: a spec under other names has the same hash."""

from __future__ import annotations

import pytest

from pdedsl.diagnostics import PdeError
from pdedsl.diagnostics.fixes import apply_edits
from pdedsl.editor import Document, analysed, definition, references, renamable, rename
from pdedsl.sources import shipped_specs

NOTATIONS = """pde Notations
space (x, y) in [0, 1]^2 periodic
time t in [0, 1]
unknown u(x, y, t) : scalar
const a = 2
let f(s) = s^2 + a s
u_t = a (u_xx + d2u/dy2) + ∂²u/∂x∂y + ∂u²/∂x - f(u) + ∂(u)/∂y
u(x, y, 0) = sin(2 pi x)
"""


def spec(name: str) -> Document:
    return analysed(shipped_specs()[name].read_text("utf-8"))


def places(document: Document, mark: str, count: int = 0) -> int:
    at = -1
    for _ in range(count + 1):
        at = document.text.index(mark, at + 1)
    return at


def test_definition_and_references() -> None:
    document = spec("enresnet")
    declared = definition(document, places(document, "σ²"))
    assert declared is not None
    assert document.text[declared.start - 8 : declared.end] == "const   σ"
    found = references(document, declared.start)
    assert [document.text[slice(*span)] for span in found] == ["σ", "σ"]
    times = references(document, places(document, "t in ["))
    assert [document.source.position(span.start)[0] for span in times] == [5, 6, 7, 12]


def test_keywords_have_no_definition() -> None:
    document = spec("enresnet")
    for word in ("resnet(", "noise(", "epochs", "members", "cifar10"):
        assert definition(document, places(document, word)) is None
        assert rename(document, places(document, word), "other") == ()


def test_scope_of_a_parameter() -> None:
    document = analysed(NOTATIONS)
    found = references(document, places(document, "s) = s"))
    assert len(found) == 3
    assert {document.source.position(span.start)[0] for span in found} == {6}


@pytest.mark.parametrize("name", ["heat", "rotation", "enresnet", "hamiltonian", "cavity", "dropout"])
def test_rename_every_name(name: str) -> None:
    document = spec(name)
    assert document.spec is not None
    for declaration in document.names.declared.values():
        edits = rename(document, declaration.span.start, "other")
        assert len(edits) == len(document.names.of(declaration))


@pytest.mark.parametrize("name", ["u", "x", "y", "t", "a"])
def test_rename_in_other_notations(name: str) -> None:
    document = analysed(NOTATIONS)
    assert not document.names.unplaced
    declaration = document.names.declared[name]
    after = apply_edits(NOTATIONS, rename(document, declaration.span.start, "w"))
    left = analysed(after)
    assert name not in {occurrence.id for occurrence in left.names.occurrences}


@pytest.mark.parametrize(
    ("new", "code"), [("1u", "E102"), ("space", "E102"), ("sin", "E203"), ("a", "E202"), ("", "E102")]
)
def test_rename_rejects_invalid_and_used_names(new: str, code: str) -> None:
    document = analysed(NOTATIONS)
    with pytest.raises(PdeError) as caught:
        rename(document, document.names.declared["u"].span.start, new)
    assert caught.value.diagnostics[0].code == code


def test_rename_rejects_capture_by_a_sum() -> None:
    text = "pde S\nspace x in R^2\ntime t in [0, 1]\nunknown u(x, t) : scalar\nconst c = 2\n"
    text += "du/dt = sum(i, c d2u/dx[i]2)\nu(x, 0) = exp(-norm(x)^2)\n"
    document = analysed(text)
    assert document.spec is not None
    at = document.names.declared["c"].span.start
    assert renamable(document, at)
    with pytest.raises(PdeError):
        rename(document, at, "i")
