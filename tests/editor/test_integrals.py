"""Integrals in an editor: hover, and renaming of bound variables and of limits."""

from __future__ import annotations

import pytest

from pdedsl.diagnostics.fixes import apply_edits
from pdedsl.editor import analysed, rename

TEXT = "pde P\nspace x in [0, 1]\nunknown u(x) : scalar\nu = 1 + ∫₀ˣ exp(s - x) u(s) ds\n"


@pytest.mark.parametrize(
    ("at", "new", "expected"),
    [
        ("s - x", "r", "u = 1 + ∫₀ˣ exp(r - x) u(r) dr"),
        ("x in", "y", "u = 1 + ∫₀ʸ exp(s - y) u(s) ds"),
        ("x in", "ξ", "u = 1 + ∫₀^ξ exp(s - ξ) u(s) ds"),
        ("u(x) :", "w", "w = 1 + ∫₀ˣ exp(s - x) w(s) ds"),
    ],
)
def test_rename(at: str, new: str, expected: str) -> None:
    edits = rename(analysed(TEXT), TEXT.index(at), new)
    assert apply_edits(TEXT, edits).splitlines()[-1] == expected
