"""Printed expressions can be parsed again, with the same meaning."""

from __future__ import annotations

import pytest
from sympy import Abs, Expr, Float, Heaviside, Integer, Max, Min, Rational, Symbol, cos, exp, oo, pi, sin, sqrt, symbols

import pdedsl
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Component, Contraction, Field, Partial

x, y, s = symbols("x y σ", real=True)
HALF = Rational(1, 2)

SPEC = """
pde P
space (x, y) in R^2
time t in [0, 1]
learn σ : scalar
unknown u(x, y, t) : scalar
∂u/∂t = Δu + σ u
u(x, y, 0) = {}
"""

SHOWN = [
    (1 - x**2 - y**2, "-x² - y² + 1"),
    (sqrt(2) * x, "√2 x"),
    (x / 2, "½ x"),
    (-3 * x**2 / 7, "-3 x²/7"),
    (x * (1 + y), "x * (y + 1)"),
    (-exp(-y) * sin(2 * pi * x), "-exp(-y) sin(2π x)"),
    (exp(-(x**2) / (y**2 + 1)) / sqrt(y**2 + 1), "exp(-x²/(y² + 1))/√(y² + 1)"),
    (x ** Rational(3, 2), "x^(3/2)"),
    (x ** (y + 1), "x^(y + 1)"),
    ((x / y) ** 2, "x²/y²"),
    ((x + y) ** -2, "1/(x + y)²"),
    (y * Abs(x - 1), "y |x - 1|"),
    (Max(x, 0) ** 2 - Min(x, y), "max(0, x)² - min(x, y)"),
    (2 * Integer(3) ** Rational(1, 3), "2 * 3^(1/3)"),
    (Float(0.1) * x, "0.1 x"),
    (sin(x) ** 2 * cos(y) / 4, "sin(x)² cos(y)/4"),
    (exp(1) * Heaviside(x), "exp(1) heaviside(x)"),
    (sqrt(x) * sqrt(y) / (2 * (x + y)), "√x √y/(2 x + 2 y)"),
    (-(x + 1) * (y - 2), "(-x - 1) * (y - 2)"),
    (HALF * sqrt(1 + x**2), "½ √(x² + 1)"),
]


@pytest.mark.parametrize(("expr", "text"), SHOWN, ids=[text for _, text in SHOWN])
def test_round_trip(expr: Expr, text: str) -> None:
    assert notation(expr) == text
    spec = pdedsl.parse(SPEC.format(text))
    (value,) = spec.conditions[0].value
    at = {x: Rational(3, 10), y: Rational(7, 10)}
    assert float((value - expr).subs(at)) == pytest.approx(0, abs=1e-14)


def test_derivatives_and_sums() -> None:
    t, i = Symbol("t", real=True), Symbol("i", integer=True)
    position = Symbol("x", real=True)
    u = Field(Symbol("u"), (), (position, t))
    assert notation(Partial(u, position, position)) == "∂²u/∂x²"
    assert notation(Partial(u, position, t)) == "∂²u/∂t∂x"
    assert notation(Partial(u**2, position)) == "∂/∂x (u²)"
    assert notation(2 * u * Partial(u, t)) == "2 u ∂u/∂t"
    assert notation(Field(Symbol("v", real=True), (Integer(2),), (position,))) == "v₂"
    assert notation(Field(Symbol("u"), (), (position, t - 1))) == "u(x, t - 1)"
    assert notation(Contraction(i, Component(position, i) ** 2)) == "Σᵢ xᵢ²"
    assert notation(Symbol("x_12")) == "x₁₂"


def test_infinities() -> None:
    assert [notation(oo), notation(-oo), notation(pi), notation(-HALF)] == ["∞", "-∞", "π", "-½"]
