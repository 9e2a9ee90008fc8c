"""The independent evaluation of coefficients: its values, and no text of a spec in its source."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sympy import Expr, Heaviside, Max, Min, Symbol, erf, exp, sign

from pdedsl.symbolic.functions import ACTIVATIONS
from pdedsl.symbolic.symbols import Softmax
from pdedsl.testing.coefficients import CoefficientNotEvaluable, compile_numpy

HOSTILE = Symbol('x", __import__("os").abort(), "', real=True)
Y = Symbol("numpy", real=True)
A, B = np.array([[0.5], [2.0]]), np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 0.0]])


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (Max(0, HOSTILE * Y, Y**2), np.maximum(np.maximum(0, A * B), B**2)),
        (Min(1, HOSTILE) + Y, np.minimum(1, A) + B),
        (Heaviside(Y) * sign(HOSTILE), np.heaviside(B, 0.5)),
        (ACTIVATIONS["relu"](Y) / HOSTILE, np.maximum(B, 0) / A),
        (erf(HOSTILE * 0) + exp(-(HOSTILE**2)), np.exp(-(A**2))),
    ],
)
def test_values_broadcast_and_no_name_reaches_the_source(expr: Expr, value: np.ndarray) -> None:
    function = compile_numpy(expr, [HOSTILE, Y])
    assert np.allclose(function(A, B), value, rtol=1e-15)
    assert "os" not in inspect.getsource(function)


def test_other_functions_are_refused() -> None:
    with pytest.raises(CoefficientNotEvaluable):
        compile_numpy(Softmax(Y) + 1, [Y])
