"""A cached analysis equals a fresh one, with shifted spans."""

from __future__ import annotations

import pytest

from pdedsl.api import explain_source
from pdedsl.diagnostics import Source
from pdedsl.editor import Document, analysed
from pdedsl.explainer.explain import Explanation
from pdedsl.sources import shipped_specs


def told(document: Document) -> str:
    examination = document.examination
    assert examination is not None
    planned = examination.planned
    theorem, plan = (planned.representation.theorem, planned.model) if planned else (None, None)
    return str(Explanation(examination.analysis, theorem, plan, examination.errors))


def changed(text: str) -> list[str]:
    """Another title, comments, blank lines, another number of epochs."""
    above = "# a comment 𝑢\n\n" + text.replace('"', '"Another: ', 1)
    between = "\n\n# between\n".join(text.split("\n\n"))
    return [above, between, text.replace("epochs", "# fewer\n  epochs"), text + "\n"]


@pytest.mark.parametrize("name", ["heat", "enresnet", "hamiltonian", "poisson_holes", "cavity"])
def test_cached_analysis_equals_a_fresh_one(name: str) -> None:
    text = shipped_specs()[name].read_text("utf-8")
    analysed(text)
    for other in changed(text):
        assert told(analysed(other)) == str(explain_source(Source(other)))


def test_diagnostics_and_fixes_are_shifted() -> None:
    text = "pde P\nspace x in R\ntime t in [0, 1]\nunknown u(x, t) : scalar\n∂u/∂t = -Δu\nu(x, 0) = x\n"
    [first] = analysed(text).diagnostics
    [moved] = analysed("\n\n" + text).diagnostics
    assert moved.message == first.message
    assert moved.span.start == first.span.start + 2
    assert moved.fixes[0].edits[0].span.start == first.fixes[0].edits[0].span.start + 2
