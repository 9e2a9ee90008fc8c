"""After random edits no service raises, and the diagnostics are those of the command line.

`python -m fuzzing.edits` asks ten thousand times; here it is a few dozen.
"""

from __future__ import annotations

import random

import pytest

from pdedsl.diagnostics import report
from pdedsl.editor import analysed
from tests.fuzzing.edits import asked, said, texts


@pytest.mark.parametrize("seed", range(2))
def test_random_edits(seed: int) -> None:
    rng = random.Random(seed)
    for text in texts(25, seed + 1000):
        document = analysed(text)
        asked(document, rng)
        assert report(document.source, document.diagnostics) == said(text)


@pytest.mark.parametrize(
    "text", ["", "\n", "\ufeffpde P\n", "\\", "#", '"', "pde", "∂", "train {", "a" * 200, "(" * 300]
)
def test_small_texts(text: str) -> None:
    document = analysed(text)
    asked(document, random.Random(0))
    assert report(document.source, document.diagnostics) == said(text)
