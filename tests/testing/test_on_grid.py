"""`pdedsl test` of physical specs: axioms on the grid, residuals by hand, and mistakes that must be found."""

from __future__ import annotations

import pytest
from texts import compiled, shipped

from pdedsl.ir.verdicts import Axiom
from pdedsl.testing import axioms, equation, on_grid
from pdedsl.testing.model import under_test
from pdedsl.testing.moments import Outcome

TRIED = ("linearity", "comparison", "maximum_principle", "conservation")


@pytest.mark.parametrize("axiom", TRIED)
def test_the_wave_keeps_its_axioms(axiom: str) -> None:
    result = axioms.search_for(axiom, under_test(compiled(shipped("wave"))))
    assert result.outcome is Outcome.HELD


def test_nan_on_the_grid_keeps_no_axiom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(on_grid.TESTS, Axiom.LINEARITY, lambda *_: float("nan"))
    assert axioms.search_for("linearity", under_test(compiled(shipped("wave")))).outcome is Outcome.BROKEN


@pytest.mark.parametrize("name", ["burgers", "wave"])
def test_emitted_residuals_are_those_by_hand(name: str) -> None:
    found = equation.check(compiled(shipped(name)))
    assert [f.outcome for f in found if f.of == "residuals"] == [Outcome.HELD]


def test_residuals_of_another_equation_are_found() -> None:
    """The functions of one spec against the equation of another."""
    slow, fast = shipped("wave"), shipped("wave").replace("c = 1", "c = 2")
    model = under_test(compiled(slow))
    wrong = type(model)(compiled(fast), model.functions)
    assert Outcome.BROKEN in {f.outcome for f in equation.check(wrong, of=("residuals",))}
