"""Numerical equality under substitutions."""

from __future__ import annotations

import pytest
from sympy import Expr, Integer, Symbol, log, pi, sin, sqrt

from pdedsl.symbolic.evaluate import Substitution, is_numerically_equal

x, y = Symbol("x", real=True), Symbol("y", real=True)
ABOUT_HALF: Substitution = {x: 1 - x}
LARGE = sum((sin(k * pi * x) / k for k in range(1, 30, 2)), Integer(0))


@pytest.mark.parametrize(
    ("expr", "sign", "expected"),
    [
        (x * (1 - x), 1, True),
        (x * (1 - x), -1, False),
        (x - Integer(1) / 2, -1, True),
        (LARGE, 1, True),
        (LARGE + sin(2 * pi * x) / 10**9, 1, False),  # nine digits agree, ten do not
        (LARGE * y + y**2, 1, True),
        (log((x - 3) * (-2 - x)), 1, True),  # without a value at the points that are tried
        (log(x - 3), 1, False),
        (sqrt(y), 1, True),
    ],
)
def test_reflection(expr: Expr, sign: int, expected: bool) -> None:
    assert is_numerically_equal(expr, expr, ABOUT_HALF, sign=sign) is expected
    assert is_numerically_equal(sign * expr, expr.xreplace(dict(ABOUT_HALF))) is expected


def test_substitution_on_both_sides() -> None:
    assert is_numerically_equal(x + y, x * y, there={x: Integer(2)}, at={x: y})
    assert not is_numerically_equal(x + y, x * y, there={x: Integer(3)}, at={x: y})


def test_simultaneous_substitution() -> None:
    assert is_numerically_equal(x - y, x - y, there={x: y, y: x}, sign=-1)
