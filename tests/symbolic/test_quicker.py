"""What was made quicker gives what sympy gives: on expressions of every kind, and on the equations of shipped specs."""

from __future__ import annotations

import pytest
from sympy import Expr, Pow, Rational, Symbol, cos, exp, expand, log, pi, preorder_traversal, sqrt, symbols

from pdedsl.compiler import to_spec
from pdedsl.diagnostics import Source
from pdedsl.symbolic import quicker
from pdedsl.symbolic.expansion import expand as quick
from pdedsl.symbolic.symbols import Field, Partial
from tests.texts import shipped

x, y, z = symbols("x y z", real=True)
p, q = symbols("p q", positive=True)
n = Symbol("n", integer=True)
u = Field(Symbol("u"), (), (x, y))
OWN = [
    (x + y) * (x - y) ** 2 * z,
    x * (y + z * (x + 1)) / (x + y),
    (x + 1) / (2 * x * (y + 1)) ** 2,
    sqrt(p * q * (x + 1)) * (y + 1),
    (p * q) ** n * (x + y),
    p ** (x + y) * exp((x + y) * z),
    log(p * q * (p + q)) + log(p**2),
    log(exp(x) * p) * (1 + cos((x + y) ** 2)),
    exp(-((x - exp(-y)) ** 2) / (2 * (1 - Rational(9, 10) * exp(-2 * y)))),
    (1 - 2 * u) * (Partial(u, x) + Partial(u, y)) ** 2 * Partial(u * (1 - u), x, y),
    Partial((x + 1) * u, x) * (sqrt(2) + pi) ** 3,
    sqrt(6) * (sqrt(2) + sqrt(3)) * (x + sqrt(x + 1)) ** 2 / (1 + sqrt(2)),
    exp(x + y) * (exp(x) + exp(-y)) ** 2,
]


def cases() -> list[Expr]:
    specs = [to_spec(Source(shipped(name))) for name in ("shake_shake", "stirring", "black_scholes", "cavity")]
    return [
        *OWN,
        *(e for spec in specs for q in spec.equations for e in (*q.right, *(c.value[0] for c in spec.conditions))),
    ]


def test_multiplied_out_as_sympy_does() -> None:
    for e in cases():
        assert quick(e) == expand(e), e
        assert quick(e, power_exp=False) == expand(e, power_exp=False), e


def test_the_parts_of_an_expression() -> None:
    for e in cases():
        parts = set(preorder_traversal(e))
        assert e.atoms() == {a for a in parts if not a.args}
        assert e.atoms(Symbol, Pow) == {a for a in parts if isinstance(a, Symbol | Pow)}


@pytest.mark.parametrize("e", [*OWN, sqrt(2) - 1, log(2) * pi, log(p) + log(q), x * log(p)])
def test_what_sympy_says_of_numbers_and_logarithms(e: Expr) -> None:
    assert e.is_comparable == bool(quicker._is_comparable(e))
    assert exp(e) == (quicker._exponential(exp, e) or exp(e, evaluate=False))
    assert quicker.logcombine(e) == quicker._logcombine(e)
