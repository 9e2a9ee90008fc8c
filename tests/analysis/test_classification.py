"""The class of a stationary equation with a learned matrix of coefficients."""

from __future__ import annotations

import pytest
from sympy import Expr

from pdedsl.analysis import classification
from pdedsl.analysis.classification import classify_stationary
from pdedsl.analysis.jet import as_scalar, jet_of
from pdedsl.analysis.normal_form import normal_form
from pdedsl.analysis.sample_points import Point, value_at
from pdedsl.api import parse
from pdedsl.ir.analysis import EquationClass


@pytest.mark.parametrize("dimension", [2, 12])
def test_learned_entries_are_not_evaluated_again_and_again(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One entry without value decides a point, whatever the dimension: 64² entries at 48 points took seconds."""
    evaluated: list[Expr] = []

    def counted(expr: Expr, point: Point) -> float | None:
        evaluated.append(expr)
        return value_at(expr, point)

    text = f"pde P\nspace x in R^{dimension}\nunknown u(x) : scalar\nlearn D : matrix, psd\n-Δu = D:∇∇u + ∂u/∂x₁\n"
    spec = parse(text)
    form = normal_form(spec.equations[0], spec)
    jet = jet_of(as_scalar(form.equation.rhs, form.unknown), form.unknown, spec)
    monkeypatch.setattr(classification, "value_at", counted)
    assert classify_stationary(jet, spec) is EquationClass.ELLIPTIC
    assert len(set(evaluated)) == 1
