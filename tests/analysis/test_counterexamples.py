"""Printed counterexamples, verified by independent formulas.

The equation must be defined at a printed point, and the coefficient matrix of ∇∇u must have the printed negative
eigenvalue there; a printed constant must change at the printed rate; a printed function must change its mass.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from analysis.analysis_cache import analysed
from analysis.series import NoRule, NoValue, Place, places, right_of, value_of
from analysis.spec_templates import data, interval, periodic, plane
from analysis.tables import TABLE
from pdedsl.ir.verdicts import Axiom, Refuted

AT = re.compile(r"negative eigenvalue (\S+?)(?: at (.+?))?: ")
RATE = re.compile(r"u = (\S+) changes at rate (\S+?)(?: at (.+))?$")
Number = Callable[..., float | Fraction]
XX = "∂²u/∂x²"


def refuted(text: str, axiom: Axiom) -> Refuted:
    verdict = analysed(text).axioms[axiom]
    assert isinstance(verdict, Refuted), verdict
    return verdict


def named(point: str | None) -> dict[str, Fraction]:
    pairs = (part.split(" = ") for part in point.split(", ")) if point else ()
    return {name.lower(): Fraction(value.replace("½", "1/2")) for name, value in pairs}


def read(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    found = pattern.search(text)
    assert found, text
    return found.groups()


# ---- a negative coefficient of ∇∇u: x and t are coordinates, u, p and X jet variables

LINE: tuple[tuple[str, Number], ...] = (
    ("(x² - 601x + 90300) Δu", lambda x: x**2 - 601 * x + 90300),
    ("(x² - 2.000000000000000001x + 1.000000000000000001) Δu", lambda x: (x - 1) * (x - 1 - Fraction(1, 10**18))),
    ("(1/(1 + x²) - 1e-6) Δu", lambda x: 1 / (1 + x**2) - Fraction(1, 10**6)),
    ("(x² - abs(x) + 1/5) Δu", lambda x: x**2 - abs(x) + Fraction(1, 5)),
    ("(½ + sin(x)) Δu", lambda x: 0.5 + math.sin(x)),
    ("tanh(x) Δu", lambda x: math.tanh(x)),
    ("(1 - 2t) x² Δu", lambda x, t: (1 - 2 * t) * x**2),
    ("(u + 150) Δu", lambda u: u + 150),
    ("(u² - 1e-10) Δu", lambda u: u**2 - Fraction(1, 10**10)),
    (f"(∂u/∂x + 300) {XX}", lambda p1: p1 + 300),
    (f"{XX} - 1e-8 ({XX})³", lambda x11: 1 - 3 * Fraction(1, 10**8) * x11**2),
    (f"{XX} - 2tanh({XX} - 300)", lambda x11: 1 - 2 / math.cosh(float(x11) - 300) ** 2),
    (f"{XX} - 2relu({XX} - 500)", lambda x11: 1 - 2 * (x11 > 500)),
    (f"log({XX}) - 2 {XX}", lambda x11: 1 / x11 - 2 if x11 > 0 else math.nan),
    ("Δ(gelu(u))", lambda u: slope(lambda z: z * (1 + math.erf(z / math.sqrt(2))) / 2, u)),
    ("(log(1 + u²) - 1) Δu", lambda u: math.log(1 + u**2) - 1),
)


def slope(f: Callable[[float], float], at: float) -> float:
    return (f(float(at) + 1e-6) - f(float(at) - 1e-6)) / 2e-6


@pytest.mark.parametrize(("right", "beside"), LINE, ids=[right for right, _ in LINE])
def test_coefficient_is_negative_at_printed_point(right: str, beside: Number) -> None:
    least, point = read(AT, refuted(data(f"∂u/∂t = {right}"), Axiom.COMPARISON).counterexample)
    value = beside(**named(point))
    assert value < 0
    assert float(value) == pytest.approx(float(least), rel=0.01)


PLANE: tuple[tuple[str, Callable[..., list[list[float]]]], ...] = (
    ("[[1, 2sin(x)], [2sin(x), 1]]", lambda x, y=0: [[1, 2 * math.sin(x)], [2 * math.sin(x), 1]]),
    ("[[1, x], [x, x² - 1]]", lambda x, y=0: [[1, x], [x, x**2 - 1]]),
    ("[[1, 3], [0, 1]]", lambda x=0, y=0: [[1, 1.5], [1.5, 1]]),
    ("[[x² + 1, y], [y, 0]]", lambda x=0, y=0: [[x**2 + 1, y], [y, 0]]),
)


@pytest.mark.parametrize(("rows", "matrix"), PLANE, ids=[rows for rows, _ in PLANE])
def test_printed_eigenvalue(rows: str, matrix: Callable[..., list[list[float]]]) -> None:
    text = plane("∂u/∂t = A:∇∇u", f"let A(x, y) = {rows}")
    least, point = read(AT, refuted(text, Axiom.COMPARISON).counterexample)
    found = np.linalg.eigvalsh(np.array(matrix(**{k: float(v) for k, v in named(point).items()}), dtype=float))
    assert found[0] == pytest.approx(float(least), rel=0.01)


SUMS = (("R^100", 100, 9.5), ("image(3, 16, 16)", 768, 7))


@pytest.mark.parametrize(("space", "n", "least"), SUMS)
def test_printed_point_in_many_dimensions(space: str, n: int, least: float) -> None:
    """The last coordinates are equal, and z is √m times one of them."""
    text = data(f"∂u/∂t = ({least} + Σᵢ sin(xᵢ))Δu", f"x in {space}")
    shown, point = read(AT, refuted(text, Axiom.COMPARISON).counterexample)
    at = named(point)
    z, first = float(at.pop("x_rest")), [float(v) for v in at.values()]
    m = n - len(first)
    value = least + sum(map(math.sin, first)) + m * math.sin(z / math.sqrt(m))
    assert value < 0
    assert float(f"{value:.3g}") == float(shown)


# ---- all tables on the line, by power series from the text

DENIED = [r for r in TABLE if any("refuted" in r.verdicts.get(a, ()) for a in (Axiom.COMPARISON, Axiom.CONSTANTS))]
ON_THE_LINE = [r for r in DENIED if re.search(r"space x in (\[|R\n)", r.text)]


def test_every_printed_point_refutes() -> None:
    """∂F/∂X has the printed value at the printed point, where F is real; so has a constant that is not preserved."""
    seen = [0, 0]
    for row in ON_THE_LINE:
        axioms = analysed(row.text).axioms
        for k, (axiom, pattern, check) in enumerate(CHECKS):
            verdict = axioms.get(axiom)
            found = pattern.search(verdict.counterexample) if isinstance(verdict, Refuted) else None
            with suppress(NoRule), mp.workdps(DIGITS):
                if found and "every" not in found[0]:
                    assert check(row.text, found), (row.name, found[0])
                    seen[k] += 1
    assert all(seen), seen


def _is_backwards(text: str, found: re.Match[str]) -> bool:
    right, shown = right_of(text), mp.mpf(found[1])
    sign = -1 if "u(x, 1) =" in text else 1
    for at in places({k: mp.mpf(v.numerator) / v.denominator for k, v in named(found[2]).items()}):
        with suppress(NoValue):
            rise = value_of(right, _bent(at, NUDGE)) - value_of(right, _bent(at, -NUDGE))
            if abs(sign * rise / (2 * NUDGE) - shown) <= 0.01 * abs(shown):
                return True
    return False


def _bent(at: Place, by: mp.mpf) -> Place:
    return replace(at, u=(*at.u[:2], at.u[2] + by / 2))


def _moves(text: str, found: re.Match[str]) -> bool:
    right, shown = right_of(text), mp.mpf(found[2])
    at = next(places({k: mp.mpf(v.numerator) / v.denominator for k, v in named(found[3]).items()}))
    constant = Fraction(found[1].replace("½", "1/2"))
    there = value_of(right, replace(at, u=(mp.mpf(constant.numerator) / constant.denominator,)))
    return bool(abs(there - shown) <= 0.02 * abs(shown))


NUDGE, DIGITS = mp.mpf(10) ** -12, 50
CHECKS = ((Axiom.COMPARISON, AT, _is_backwards), (Axiom.CONSTANTS, RATE, _moves))


# ---- Constants that are not steady, and functions whose mass changes

MOVING: tuple[tuple[str, Number], ...] = (
    ("Δu + u (u - 1) (u - 2) (u + 1)", lambda u: u * (u - 1) * (u - 2) * (u + 1)),
    ("Δu + sin(π u)", lambda u: math.sin(math.pi * u)),
    ("Δu + relu(u - 200)", lambda u: max(u - 200, 0)),
    ("Δu + 1e-200 u²", lambda u: Fraction(1, 10**200) * u**2),
    ("Δu - x² u", lambda u, x: -(x**2) * u),
    ("Δu + log(1 + u²) - t", lambda u, t: math.log(1 + u**2) - t),
)


@pytest.mark.parametrize(("right", "rate"), MOVING, ids=[right for right, _ in MOVING])
def test_printed_constant_is_not_steady(right: str, rate: Number) -> None:
    constant, shown, point = read(RATE, refuted(data(f"∂u/∂t = {right}"), Axiom.CONSTANTS).counterexample)
    value = rate(Fraction(constant.replace("½", "1/2")), **named(point))
    assert value != 0
    assert float(value) == pytest.approx(float(shown), rel=0.02)


MASSES = (
    ("min(x², 1) ∂u/∂x", lambda x: np.minimum(x**2, 1) * -2 * (x - 1) * np.exp(-((x - 1) ** 2))),
    ("Δu + (∂u/∂x)²", lambda x: (2 * (x - 1)) ** 2 * np.exp(-2 * (x - 1) ** 2)),
)


@pytest.mark.parametrize(("right", "made"), MASSES, ids=[right for right, _ in MASSES])
def test_printed_function_changes_mass(right: str, made: Callable[[np.ndarray], np.ndarray]) -> None:
    """Of the bell exp(-(x - 1)²) that is printed, or of one like it where an Euler operator is."""
    x = np.linspace(-8, 10, 40_001)
    rate = float(np.trapezoid(made(x), x))
    witness = refuted(data(f"∂u/∂t = {right}"), Axiom.CONSERVATION).counterexample
    shown = re.search(r"changes at the rate (\S+)", witness)
    assert abs(rate) > 0.01
    assert shown is None or float(shown[1]) == pytest.approx(rate, rel=0.01)


# ---- Equivalent equations


SAME = (
    (data("∂u/∂t = Δu + max(u, -u) - abs(u)"), data("∂u/∂t = Δu"), (Axiom.LINEARITY, Axiom.COMPARISON)),
    (
        periodic(f"∂u/∂t = u {XX} + (∂u/∂x)²"),
        periodic("∂u/∂t = ½Δ(u²)"),
        (Axiom.COMPARISON, Axiom.CONSERVATION),
    ),
    (interval("∂u/∂t = Δu", "2u = u on boundary"), interval("∂u/∂t = Δu", "u = 0 on boundary"), tuple(Axiom)),
    (data("∂u/∂t = x·∇u + 20u", "x in R^20"), data("∂u/∂t = ∇·(x u)", "x in R^20"), tuple(Axiom)),
)


@pytest.mark.parametrize(("one", "other", "axioms"), SAME)
def test_the_same_equation_has_the_same_verdicts(one: str, other: str, axioms: tuple[Axiom, ...]) -> None:
    found = [{a: v.truth for a, v in analysed(text).axioms.items() if a in axioms} for text in (one, other)]
    assert found[0] == found[1]
