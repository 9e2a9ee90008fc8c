"""`pdedsl test` of physical specs: axioms on the grid, residuals by hand, and mistakes that must be found."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from texts import compiled, shipped

from pdedsl.ir.verdicts import Axiom
from pdedsl.testing import axioms, equation, finite_differences_check
from pdedsl.testing.model import under_test
from pdedsl.testing.moments import Outcome

TRIED = ("linearity", "comparison", "maximum_principle", "conservation")


@pytest.mark.parametrize("axiom", TRIED)
def test_the_wave_keeps_its_axioms(axiom: str) -> None:
    result = axioms.search_for(axiom, under_test(compiled(shipped("wave"))))
    assert result.outcome is Outcome.HELD


def test_nan_on_the_grid_keeps_no_axiom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(finite_differences_check.TESTS, Axiom.LINEARITY, lambda *_: torch.tensor(float("nan")))
    assert axioms.search_for("linearity", under_test(compiled(shipped("wave")))).outcome is Outcome.BROKEN


def test_a_layer_too_thin_for_the_grid_breaks_nothing() -> None:
    """At the end of time 32 and 64 points give the same wrong answer, a gap of 0.06; shorter times tell the truth."""
    model = under_test(compiled(shipped("allen_cahn")))
    assert axioms.search_for("comparison", model).outcome is Outcome.HELD
    assert axioms.search_for("conservation", model).outcome is Outcome.BROKEN


def test_where_the_grid_fails_nothing_is_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finite_differences_check, "EFFORT", replace(finite_differences_check.STEP_BUDGET, most=3))
    spec = shipped("wave").replace("c = 1", "c = 1.25")  # solutions of the shipped one may be known already
    result = axioms.search_for("linearity", under_test(compiled(spec)))
    assert (result.outcome, "3 steps end at time" in result.note) == (Outcome.UNTESTED, True)


@pytest.mark.parametrize("name", ["burgers", "wave"])
def test_emitted_residuals_are_those_by_hand(name: str) -> None:
    found = equation.check(compiled(shipped(name)))
    assert [f.outcome for f in found if f.name == "residuals"] == [Outcome.HELD]


def test_residuals_of_another_equation_are_found() -> None:
    """The functions of one spec against the equation of another."""
    slow, fast = shipped("wave"), shipped("wave").replace("c = 1", "c = 2")
    model = under_test(compiled(slow))
    wrong = type(model)(compiled(fast), model.functions)
    assert Outcome.BROKEN in {f.outcome for f in equation.check(wrong, of=("residuals",))}
