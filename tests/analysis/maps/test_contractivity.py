"""Contractivity and stability theorems: exact bounds against sampling, and methods outside of the language."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import Integer, Poly, Rational, sqrt

from analysis.analysis_cache import analysed
from analysis.maps.rows import MapRow
from pdedsl.analysis.feature_maps.axioms import prove_feature_map_axioms
from pdedsl.analysis.feature_maps.contractivity import (
    X,
    is_implicitly_stable,
    is_nonnegative_on,
    is_stable_on_imaginary_interval,
    is_stable_on_real_interval,
    leapfrog_is_stable,
    series_is_stable,
)
from pdedsl.analysis.feature_maps.steps import TimeStepping
from pdedsl.analysis.feature_maps.system import system_of
from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.ir.verdicts import Axiom, Proved, Refuted
from pdedsl.numerics.butcher import EXPLICIT, IMPLICIT, ImplicitRungeKutta, RungeKutta, amplification_factor
from pdedsl.numerics.stability import is_contractive, is_semidefinite, to_fraction

TWO_HALVES = RungeKutta("two_halves", "TwoHalves", 1, ((1 / 2,),), (1 / 2, 1 / 2))
"""Two steps of Euler in one: R(z) = (1 + z/2)²."""
RALSTON = RungeKutta("ralston", "Ralston", 2, ((2 / 3,),), (1 / 4, 3 / 4))
RADIUS = {"euler": 2, "heun": 2, "ssprk3": 2, "rk4": 2, "two_halves": 4}


@pytest.mark.parametrize("method", [*(EXPLICIT[name] for name in RADIUS if name in EXPLICIT), TWO_HALVES])
def test_contractivity_radius(method: RungeKutta) -> None:
    edge = Fraction(RADIUS[method.name])
    assert is_contractive(method, edge)
    assert is_contractive(method, edge / 3)
    assert not is_contractive(method, edge + Fraction(1, 10**12))


def test_nonpositive_weight_is_never_contractive() -> None:
    assert not is_contractive(EXPLICIT["midpoint"], Fraction(1, 10**6))
    assert not is_contractive(RungeKutta("n", "N", 1, ((1.0,),), (-1.0, 2.0)), Fraction(1, 10**6))


def test_coefficients_are_exact_fractions() -> None:
    assert to_fraction(1 / 3) == Fraction(1, 3)
    assert to_fraction(2.0**-0.5) == Fraction(2.0**-0.5)


def test_semidefinite_matrices() -> None:
    generator = np.random.default_rng(0)
    for rank in (1, 2, 3):
        root = [[Fraction(int(a)) for a in row] for row in generator.integers(-5, 6, (3, rank))]
        gram = [[sum(a * b for a, b in zip(p, q, strict=True)) for q in root] for p in root]
        assert is_semidefinite(gram)
        gram[2][2] -= sum(a * a for a in root[2]) + 1
        assert not is_semidefinite(gram)


# ---- Polynomials


@pytest.mark.parametrize("seed", range(30))
def test_sign_on_an_interval(seed: int) -> None:
    """Known roots: q = Π (x - rᵢ)^nᵢ."""
    generator = np.random.default_rng(seed)
    roots, orders = generator.integers(-6, 7, 4), generator.integers(1, 4, 4)
    q = Poly(1, X)
    for root, order in zip(roots, orders, strict=True):
        q *= Poly(X - Integer(int(root)), X) ** int(order)
    a, b = sorted(int(end) for end in generator.choice(np.arange(-7, 8), 2, replace=False))
    values = [q.eval(Rational(a) + Rational(b - a) * Rational(k, 997)) for k in range(998)]
    assert is_nonnegative_on(q, Rational(a), Rational(b)) is all(value >= 0 for value in values)


@pytest.mark.parametrize("method", EXPLICIT.values(), ids=EXPLICIT)
def test_stability_intervals(method: RungeKutta) -> None:
    for high in np.arange(1, 40) / 10:
        x = np.linspace(0, high, 400)
        real = bool(max(amplification_factor(method.stability, -s) for s in x) <= 1 + 1e-12)
        assert is_stable_on_real_interval(method, Integer(0), Rational(str(high))) is real
        imaginary = bool(max(amplification_factor(method.stability, 1j * s) for s in x) <= 1 + 1e-12)
        assert is_stable_on_imaginary_interval(method, Rational(str(high)) ** 2) is imaginary


def test_irrational_ends() -> None:
    assert is_stable_on_real_interval(EXPLICIT["euler"], Integer(0), sqrt(3))
    assert not is_stable_on_real_interval(EXPLICIT["euler"], Integer(0), sqrt(5))
    assert not is_stable_on_real_interval(EXPLICIT["rk4"], -sqrt(2) / 10**6, Integer(1))


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 7, 8])
def test_series(terms: int) -> None:
    for high in np.arange(1, 30) / 10:
        x = np.linspace(0, high, 400)
        size = np.abs(sum((-x) ** k for k in range(terms + 1))).max()
        assert series_is_stable(terms, Integer(0), Rational(str(high))) is bool(size <= 1 + 1e-12)


@pytest.mark.parametrize("steps", [1, 2, 3, 7])
@pytest.mark.parametrize("first", [Rational(1, 2), Integer(1)])
def test_leapfrog(steps: int, first: Rational) -> None:
    for high in np.arange(1, 30) / 5:
        x = np.linspace(0, high, 800)
        before, now = np.ones_like(x), 1 - float(first) * x
        for _ in range(steps - 1):
            before, now = now, (2 - x) * now - before
        assert leapfrog_is_stable(steps, first, Integer(0), Rational(str(high))) is bool(np.abs(now).max() <= 1 + 1e-12)


# ---- Methods outside of the language


def verdicts(right: str, method: RungeKutta, end: str) -> dict[Axiom, object]:
    system = system_of(analysed(MapRow((right,), "euler", 1, {}, "").text).spec)
    assert system is not None
    return dict(prove_feature_map_axioms(replace(system, stepping=TimeStepping(method, Rational(end), 1))))


@pytest.mark.parametrize(("right", "end"), [("-Y", "4"), ("-Kᵀ K Y", "4"), ("-Kᵀ tanh(K Y)", "4")])
def test_proofs_use_the_tableau(right: str, end: str) -> None:
    """Twice as far as Euler."""
    found = verdicts(right, TWO_HALVES, end)
    assert isinstance(found[Axiom.STABILITY], Proved)
    assert isinstance(found[Axiom.ENERGY_DECAY], Proved)
    assert "two_halves" in found[Axiom.STABILITY].reason


def test_counterexample_uses_the_tableau() -> None:
    found = verdicts("-Y", TWO_HALVES, "5")[Axiom.STABILITY]
    assert isinstance(found, Refuted)
    assert "by two_halves with δt = 5" in found.counterexample
    assert found.example is not None
    assert found.example.growth == pytest.approx((1 - 2.5) ** 2)
    ralston = verdicts("-Y", RALSTON, "2.5")[Axiom.STABILITY]
    assert isinstance(ralston, Refuted)
    assert ralston.example is not None
    assert ralston.example.growth == pytest.approx(1 - 2.5 + 2.5**2 / 2)


# ---- Implicit methods


EXPLICIT_EULER = ImplicitRungeKutta("euler", "Euler", 1, ((0.0,),), (1.0,))
"""R(z) = 1 + z, written as an implicit method."""
QUARTER = ImplicitRungeKutta("quarter", "Quarter", 1, ((1 / 4,),), (1.0,))
"""θ-method with θ = ¼: stable for x up to 4."""


@pytest.mark.parametrize("method", IMPLICIT.values(), ids=lambda m: m.name)
def test_a_stable_methods_are_stable_on_every_interval(method: ImplicitRungeKutta) -> None:
    assert is_implicitly_stable(method, Integer(0), Integer(10**6))
    assert not is_implicitly_stable(method, Rational(-1, 100), Integer(1))  # growth


@pytest.mark.parametrize(("method", "edge"), [(EXPLICIT_EULER, 2), (QUARTER, 4)])
def test_conditionally_stable_implicit_methods(method: ImplicitRungeKutta, edge: int) -> None:
    assert is_implicitly_stable(method, Integer(0), Integer(edge))
    assert not is_implicitly_stable(method, Integer(0), edge + Rational(1, 10**6))


@pytest.mark.parametrize(
    ("method", "bound", "right", "proved"),
    [
        *((name, ", ‖K‖ ≤ 10", "-Kᵀ relu(K Y)", name != "sdirk2") for name in IMPLICIT),  # not algebraically stable
        ("sdirk2", ", ‖K‖ ≤ 1", "-Kᵀ relu(K Y)", True),
        *((name, ", ‖K‖ ≤ 10", "-3Y", True) for name in IMPLICIT),
        *((name, ", ‖K‖ ≤ 10", "Y - Kᵀ relu(K Y)", False) for name in IMPLICIT),
        ("radau5", "", "-Kᵀ relu(K Y)", False),  # β is unknown
        ("euler", ", ‖K‖ ≤ 10", "-Kᵀ relu(K Y)", False),
        ("ars222", ", ‖K‖ ≤ 1", "-Kᵀ relu(K Y) - Y", False),
    ],
)
def test_verdicts_on_implicit_steps(method: str, bound: str, right: str, proved: bool) -> None:
    """One step with δt β = 100; nothing is refuted."""
    learn = f"learn K : operator{bound} = conv(3)\n" if "K" in right else ""
    text = (
        f"pde P\nspace x in pixels\ntime t in [0, 1]\nunknown Y(x, t) : channels\n{learn}∂Y/∂t = {right}\n"
        f"realize time by {method}(steps=1)\n"
        "network {\ninput image(1, 8, 8)\nstem 4\nstages [4]\nclasses 2\n}\n"
    )
    verdict = to_analysis(parse(text)).axioms[Axiom.STABILITY]
    assert isinstance(verdict, Proved) is proved
    if method != "euler":
        assert not isinstance(verdict, Refuted)
