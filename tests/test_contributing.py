"""What CONTRIBUTING.md says is so: its places exist, and its worked change works."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
import torch

from pdedsl.numerics import butcher
from pdedsl.numerics.butcher import RungeKutta
from pdedsl.runtime.ode.explicit import ExplicitRungeKutta, TimeGrid

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
PLACES = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.\w+)?)`", PAGE)


@pytest.mark.parametrize("place", sorted(set(PLACES)))
def test_places_exist(place: str) -> None:
    assert (ROOT / place).exists() or (ROOT / "pdedsl" / place).exists() or (ROOT / "pdedsl/training" / place).exists()


def test_the_worked_change_is_a_method_of_its_order() -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    scope: dict[str, object] = dict(vars(butcher))
    exec(snippet, scope)
    method = scope["RALSTON"]
    assert isinstance(method, RungeKutta)
    start = torch.ones(1, dtype=torch.float64)

    def error(steps: int) -> float:
        found = ExplicitRungeKutta(method).integrate(lambda _j, t, y: y * math.cos(t), start, TimeGrid(0.0, 2.0, steps))
        return abs(found.item() - math.exp(math.sin(2.0)))

    assert math.log2(error(64) / error(128)) == pytest.approx(method.order, abs=0.1)


def test_the_notation_is_where_the_table_says() -> None:
    rows = re.findall(r"^\| `([a-z_/.]+)` \| (.+) \|$", PAGE.partition("A notation from grammar")[2], re.MULTILINE)
    assert len(rows) == 11
    for file, said in rows:
        place = ROOT / file if (ROOT / file).exists() else ROOT / "pdedsl" / file
        words = re.findall(r"`([A-Z]\w+)`", said)
        assert all(word in place.read_text("utf-8") for word in words[:1]), (file, words)
