"""Substitutes for sympy functions agree with sympy, on expressions of every kind and those of shipped specs.

Sympy itself is not modified.
"""

from __future__ import annotations

import math
import random
import subprocess
import sys
from itertools import product

import pytest
from sympy import (
    Abs,
    Add,
    Expr,
    I,
    Integer,
    Max,
    Mul,
    Pow,
    Rational,
    Symbol,
    cos,
    exp,
    expand,
    log,
    nan,
    oo,
    pi,
    preorder_traversal,
    sqrt,
    symbols,
    tanh,
    zoo,
)
from sympy.core import exprtools

from pdedsl.compiler import to_spec
from pdedsl.diagnostics import Source
from pdedsl.sources import shipped_specs
from pdedsl.symbolic.cache import cache_signs
from pdedsl.symbolic.evaluate import Layout, compile_function, evaluate_at_points
from pdedsl.symbolic.rewrite import expand as quick
from pdedsl.symbolic.rewrite import exponential, substitute
from pdedsl.symbolic.rewrite import product as multiplied
from pdedsl.symbolic.symbols import Field, Partial, atoms
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
    tanh(log(p * (x + y) ** 2) * (x + 1)),
]


def drawn(draw: random.Random, depth: int) -> Expr:
    if depth == 0:
        return draw.choice([x, y, z, p, q, n, u, pi, sqrt(2), Rational(draw.randint(-5, 5), draw.randint(1, 4))])
    parts = [drawn(draw, depth - 1) for _ in range(draw.randint(2, 3))]
    return draw.choice(
        [
            lambda: Add(*parts),
            lambda: Mul(*parts),
            lambda: parts[0] ** draw.choice([2, 3, -1, -2, Rational(1, 2), n]),
            lambda: draw.choice([exp, exp, log, cos, tanh, Abs])(parts[0]),
        ]
    )()


def cases() -> list[Expr]:
    specs = [to_spec(Source(shipped(name))) for name in ("shake_shake", "stirring", "black_scholes", "cavity")]
    written = [e for s in specs for q in s.equations for e in (*q.rhs, *(c.value[0] for c in s.conditions))]
    draw = random.Random(16)
    some = [drawn(draw, draw.randint(2, 3)) for _ in range(250)]
    return [*OWN, *written, *(e for e in some if not e.has(nan, zoo, oo) and e.count_ops() < 40)]


CASES = cases()


def test_expansion() -> None:
    for e in CASES:
        assert quick(e) == expand(e), e
        assert quick(e, power_exp=False) == expand(e, power_exp=False), e


def test_atoms() -> None:
    for e in CASES:
        assert atoms(e, Symbol, Pow) == {a for a in preorder_traversal(e) if isinstance(a, Symbol | Pow)}
        assert atoms(e, Field) == e.atoms(Field)


@pytest.mark.parametrize(
    "e", [I * pi * x, x * log(p), 2 * log(p) + x, x + I * pi, 1 + x, x * log(p) * log(q), I * pi * n + x, x / I, oo * x]
)
def test_simplified_exponentials(e: Expr) -> None:
    assert exponential(e) == exp(e)


def test_exponentials() -> None:
    for e in CASES:
        assert exponential(e) == exp(e), e
        assert exponential(-e / 2 + x) == exp(-e / 2 + x), e


def test_substitution() -> None:
    rules = [{x: Rational(1, 3)}, {x: y + 1, y: Integer(0)}, {u: p, x: -y}, {n: Integer(2), exp(x): q}, {}]
    for e, rule in product(CASES, rules):
        assert substitute(e, rule) == e.xreplace(rule), (e, rule)


def test_evaluation_at_points() -> None:
    """Also where there is no value at some of the points."""
    layout = Layout({s: k for k, s in enumerate((x, y, z, p, q, n))}, 0)
    draw = random.Random(0)
    points = [[draw.uniform(-2, 2) for _ in range(6)] for _ in range(5)] + [[0.0] * 6, [1.0] * 6, [400.0, 900.0] * 3]
    plain = [e.xreplace({u: x + 2}) for e in (*CASES, Max(x, 1 / y), 1 / x, exp(1000 * x) ** 0, log(x) ** 2)]
    plain = [e for e in plain if not e.has(Partial, Field) and e.free_symbols <= set(layout.places)]
    columns = evaluate_at_points(plain, layout, points)
    assert len(plain) > 100
    for e, column in zip(plain, columns, strict=True):
        alone = [compile_function(e, layout)(point) for point in points]
        assert all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(column, alone, strict=True)), e


UNTOUCHED = """
import inspect, sys
import sympy
import sympy.core.exprtools, sympy.core.assumptions, sympy.simplify.simplify

def functions():
    found = {}
    for name, module in [m for m in sys.modules.items() if m[0].startswith("sympy")]:
        for key, value in list(vars(module).items()):
            if inspect.isfunction(value) or hasattr(value, "__wrapped__"):
                found[name, key] = value
            if inspect.isclass(value) and value.__module__.startswith("sympy"):
                kinds = (property, classmethod, staticmethod)
                found |= {(name, key, k): v for k, v in vars(value).items() if callable(v) or isinstance(v, kinds)}
    return found

before = functions()
from pdedsl.editor import analysed
assert analysed(open(sys.argv[1], encoding="utf-8").read()).plan
after = functions()
print([key for key in before if after.get(key) is not before[key]], len(before) > 10_000)
"""


def test_sympy_is_not_modified() -> None:
    """A user's sympy is the same after our import: every function, method and property."""
    path = str(shipped_specs()["stirring"])
    found = subprocess.run([sys.executable, "-c", UNTOUCHED, path], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[] True", found.stdout


def test_cached_signs() -> None:
    """A sign is a number, or a symbol that has it."""
    before = exprtools._monotonic_sign
    plain = getattr(before, "__wrapped__", before)  # a command that was tried in this process may have remembered
    exprtools._monotonic_sign = plain
    try:
        cache_signs()
        cache_signs()
        assert exprtools._monotonic_sign.__wrapped__ is plain
        for e in CASES:
            assert signs(exprtools._monotonic_sign(e)) == signs(plain(e)), e
    finally:
        exprtools._monotonic_sign = before


def signs(bound: Expr | None) -> tuple[object, ...]:
    return (
        (None,) if bound is None else (bound.is_positive, bound.is_negative, bound.is_zero, bound.is_number and bound)
    )


def test_products() -> None:
    some = [
        x,
        Integer(2),
        Rational(-1, 3),
        x + 1,
        2 * x * exp(x + y),
        exp(x * y),
        exp(1),
        sqrt(2),
        1 / (x + y),
        Integer(0),
    ]
    for e in CASES[::8]:
        for one, other in product(some, repeat=2):
            factors = (one, exp(e / 2 + x), other)
            assert multiplied(*factors) == Mul(*factors), factors
