"""The fold over symbolic trees: its algebras agree, and `unsupported` is what code generation cannot compute."""

from __future__ import annotations

import math

import pytest
import sympy
import torch
from sympy import DiracDelta, Expr, Heaviside, Integer, Max, Symbol, exp, gamma, nan, oo, sin, sqrt, zoo

from pdedsl.codegen.pointwise import compile_pointwise
from pdedsl.numerics.functions import TORCH_OPERATIONS
from pdedsl.symbolic.evaluate import Layout, compile_function, evaluate_at_points, fold, unsupported
from pdedsl.symbolic.functions import ACTIVATIONS

X, Y = Symbol("x", real=True), Symbol("y", real=True)
EXPRESSIONS = (
    X * sin(Y) + exp(-(X**2)) / 3,
    Max(X, Y, 0) + Heaviside(X - Y),
    ACTIVATIONS["gelu"](X) * ACTIVATIONS["softplus"](Y),
    sqrt(X**2 + Y**2 + 1) - Integer(7),
)


@pytest.mark.parametrize("expr", EXPRESSIONS)
def test_floats_columns_and_tensors_agree(expr: Expr) -> None:
    points = [[0.3, -1.2], [2.0, 0.5], [-0.7, -0.7]]
    layout = Layout({X: 0, Y: 1}, 2)
    values = [compile_function(expr, layout)(p) for p in points]
    assert evaluate_at_points([expr], layout, points) == [values]
    tensors = torch.tensor(points, dtype=torch.float64).unbind(-1)
    assert torch.allclose(
        compile_pointwise([expr], [X, Y])(*tensors)[0],
        torch.tensor(values, dtype=torch.float64),
        rtol=1e-14,
        atol=1e-14,
    )


def test_a_fold_with_another_algebra() -> None:
    """The number of operations."""
    assert fold(X * sin(Y) + 2, lambda e: 0 if e.is_Atom else None, lambda e, args: 1 + sum(args)) == 3


def test_undefined_values_are_nan() -> None:
    layout = Layout({X: 0}, 1)
    assert math.isnan(compile_function(1 / X, layout)([0.0]))
    assert [math.isnan(v) for v in evaluate_at_points([sqrt(X)], layout, [[-1.0], [4.0]])[0]] == [True, False]


def atom(e: Expr) -> str | None:
    return "" if e == X else "'y'" if e == Y else None


@pytest.mark.parametrize(
    ("expr", "reason"),
    [
        (X**2 + sin(X), None),
        (X + Y, "'y'"),
        (X * gamma(X), "this expression"),
        (DiracDelta(X), "a Dirac delta (the derivative of a discontinuous function)"),
        (oo, "the value ∞"),
        (zoo, "the value ∞̃"),
        (nan, "the value nan"),
    ],
)
def test_unsupported_parts_are_named(expr: Expr, reason: str | None) -> None:
    found = unsupported(expr, atom)
    assert (found is None) == (reason is None)
    if reason is not None and "value" not in reason:
        assert found == reason


def test_every_supported_function_is_evaluated() -> None:

    for name in TORCH_OPERATIONS - {"Add", "Mul", "Pow", "Max", "Min"}:
        function = ACTIVATIONS.get(name) or getattr(sympy, name)
        value = compile_pointwise([function(X)], [X])(torch.tensor([0.4], dtype=torch.float64))[0]
        assert float(value) == pytest.approx(compile_function(function(X), Layout({X: 0}, 1))([0.4]), rel=1e-12)
