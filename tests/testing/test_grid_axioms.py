"""`pdedsl test` of physical specs: axioms on a grid, and residuals by manufactured solutions."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from texts import compiled, shipped

from pdedsl.ir.verdicts import Axiom
from pdedsl.testing import axioms, equation, grid_axioms
from pdedsl.testing.model import under_test
from pdedsl.testing.moment_tests import CheckOutcome

TRIED = ("linearity", "comparison", "maximum_principle", "conservation")


@pytest.mark.parametrize("axiom", TRIED)
def test_axioms_of_the_wave_equation(axiom: str) -> None:
    result = axioms.search_for(axiom, under_test(compiled(shipped("wave"))))
    assert result.outcome is CheckOutcome.PASSED


def test_nan_on_the_grid_violates_axioms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(grid_axioms.TESTS, Axiom.LINEARITY, lambda *_: torch.tensor(float("nan")))
    assert axioms.search_for("linearity", under_test(compiled(shipped("wave")))).outcome is CheckOutcome.VIOLATED


def test_unresolved_boundary_layer_is_no_violation() -> None:
    """At the end of time 32 and 64 points have the same error of 0.06; shorter times are correct."""
    model = under_test(compiled(shipped("allen_cahn")))
    assert axioms.search_for("comparison", model).outcome is CheckOutcome.PASSED
    assert axioms.search_for("conservation", model).outcome is CheckOutcome.VIOLATED


def test_grid_failure_is_untested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grid_axioms, "STEP_BUDGET", replace(grid_axioms.STEP_BUDGET, max_steps=3))
    spec = shipped("wave").replace("c = 1", "c = 1.25")  # solutions of the shipped one may be known already
    result = axioms.search_for("linearity", under_test(compiled(spec)))
    assert (result.outcome, "3 steps reach only time" in result.note) == (CheckOutcome.UNTESTED, True)


@pytest.mark.parametrize("name", ["burgers", "wave"])
def test_generated_residuals(name: str) -> None:
    found = equation.check(compiled(shipped(name)))
    assert [f.outcome for f in found if f.name == "residuals"] == [CheckOutcome.PASSED]


def test_residuals_of_another_equation() -> None:
    """The functions of one spec against the equation of another."""
    slow, fast = shipped("wave"), shipped("wave").replace("c = 1", "c = 2")
    model = under_test(compiled(slow))
    wrong = type(model)(compiled(fast), model.functions)
    assert CheckOutcome.VIOLATED in {f.outcome for f in equation.check(wrong, of=("residuals",))}
