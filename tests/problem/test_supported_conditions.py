"""The table of supported conditions in the reference; `solvers/test_condition_table.py` tests its cells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pdedsl.problem.supported_conditions import (
    LOCAL,
    BoundaryRegion,
    MethodFamily,
    cells,
    markdown_table,
    unsupported_reason,
)

PAGE = Path(__file__).parents[2] / "grammar" / "README.md"
BEGIN, END = "<!-- table: supported conditions -->", "<!-- end -->"


def test_the_reference_prints_the_table(golden: Callable[[Path, str], None]) -> None:
    text = PAGE.read_text("utf-8")
    before, rest = text.split(BEGIN)
    golden(PAGE, f"{before}{BEGIN}\n{markdown_table()}\n{END}{rest.split(END)[1]}")


def test_every_cell_says_yes_or_why() -> None:
    table = list(cells())
    assert len(table) == len(set(table)) == len(MethodFamily) * (len(LOCAL) * len(BoundaryRegion) + 4)
    assert all(not unsupported_reason(*cell).endswith(".") for cell in table)
