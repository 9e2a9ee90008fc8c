"""Definite integrals compared with quadrature."""

from __future__ import annotations

import mpmath
import pytest
from sympy import I, N, Symbol, cos, cosh, exp, lambdify, pi, sin, sinh, sqrt

from pdedsl.symbolic.integrals import integral

x, t = Symbol("x", real=True), Symbol("t", real=True)
KNOWN = (
    3 + x**2 * (1 + x),
    sin(2 * pi * x) ** 2,
    sin(2 * pi * x) * cos(2 * pi * x) + 1,
    sin(x) * sin(pi * x),
    x**3 * exp(-2 * x),
    x**2 * exp(x) * cos(3 * x),
    cosh(2 * x) ** 2 + sinh(x),
    t * sin(1 + 2 * x) ** 2 + sin(t + x) ** 3,
)
UNKNOWN = (exp(-(x**2)), sqrt(x), 1 / (1 + x), sin(x**2), sin(x) / x)


@pytest.mark.parametrize("expr", KNOWN, ids=str)
def test_integrals_agree_with_quadrature(expr) -> None:
    found = integral(expr, x, 0 * x, 0 * x + 1)
    assert not found.has(I, x)
    exact = mpmath.quad(lambdify(x, expr.subs(t, 0.3), "mpmath"), [0, 1])
    assert abs(N(found.subs(t, 0.3)) - exact) < 1e-12


@pytest.mark.parametrize("expr", UNKNOWN, ids=str)
def test_unsupported_integrands(expr) -> None:
    assert integral(expr, x, 0 * x, 0 * x + 1) is None
