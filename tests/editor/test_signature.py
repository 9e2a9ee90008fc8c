"""Signature help: the active parameter by position and by name."""

from __future__ import annotations

import pytest

from pdedsl.editor import Signature, analysed, signature

HEAD = """pde P
space x in R^2
time t in [0, 1]
unknown u(x, t) : scalar
"""


def at(text: str) -> Signature | None:
    """At the mark `|`."""
    before, _, after = (HEAD + text).partition("|")
    return signature(analysed(before + after), len(before))


@pytest.mark.parametrize(
    ("line", "active"),
    [
        ("learn v(x) : vector = mlp(|", "width=64"),
        ("learn v(x) : vector = mlp(12|)", "width=64"),
        ("learn v(x) : vector = mlp(12, |", "depth=4"),
        ("learn v(x) : vector = mlp(activation=|", "activation=tanh"),
        ("learn v(x) : vector = mlp(depth=3, width=4*|", "width=64"),
        ("evaluate {\n  attack pgd(eps=8/255, |", None),  # any of the named arguments may follow
        ("evaluate {\n  attack pgd(eps=[1/255, |", "eps"),  # within a list
    ],
)
def test_active_parameter(line: str, active: str | None) -> None:
    found = at(line)
    assert found is not None
    assert (found.parameters[found.active].label if found.active is not None else None) == active
    assert all(p.label in found.label for p in found.parameters)
    assert all(p.text for p in found.parameters)


@pytest.mark.parametrize("line", ["∂u/∂t = sin(|", "learn v(x) : vector = |", "# mlp(|"])
def test_outside_of_calls(line: str) -> None:
    assert at(line) is None
