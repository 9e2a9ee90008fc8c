"""Residuals of the shipped physical specs and of larger systems, compared with derivations by hand.

Unknown c is 2 + sin(w·z + b), of which every derivative is known in closed form; `d(c, "xx")` is one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import cos, exp, log, pi, prod, sin, sqrt
from random import Random

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from sympy import Expr, Float, Symbol

from pdedsl.compiler import to_analysis, to_spec
from pdedsl.ir.family import Family, reference_at
from pdedsl.ir.parameters import at_eigenvalue
from pdedsl.ir.problem import StrongForm
from pdedsl.ir.residual import Derivative, NonlocalTerm, Residual
from pdedsl.ir.spec import SpaceKind
from pdedsl.lowering.strong_form import lower
from pdedsl.sources import shipped_specs, source_of
from pdedsl.symbolic.evaluate import Layout, compile_function
from pdedsl.symbolic.symbols import Field

LEARNED = 0.7  # the value of what is learned beside the unknowns


class Trial:
    """Unknowns at a random point of a domain; coordinates are attributes: z.x, z.t."""

    def __init__(self, statement: StrongForm, seed: int) -> None:
        random, domain = Random(seed), statement.domain
        self.names = [str(x) for x in domain.coordinates]
        self.point = [float(i.start) + random.random() * float(i.end - i.start) for i in domain.intervals]
        self.waves = [[random.uniform(-1, 1) for _ in self.point] for _ in statement.components]
        self.phases = [random.uniform(-1, 1) for _ in statement.components]

    def __getattr__(self, name: str) -> float:
        return self.point[self.names.index(name)]

    def of(self, d: Derivative) -> float:
        w = self.waves[d.component]
        angle = self.phases[d.component] + sum(a * b for a, b in zip(w, self.point, strict=True))
        own = prod(a**k for a, k in zip(w, d.orders, strict=True)) * sin(angle + d.order * pi / 2)
        return own if d.order else 2 + own

    def at(self, *point: float) -> Trial:
        """The same unknowns at another point."""
        moved = Trial.__new__(Trial)
        moved.__dict__ |= self.__dict__ | {"point": list(point)}
        return moved

    def d(self, component: int, along: str = "") -> float:
        return self.of(Derivative(component, tuple(along.count(n) for n in self.names)))


def value(residual: Residual, statement: StrongForm, z: Trial) -> float:
    """The generated residuals at points."""
    numbers = dict(zip(statement.domain.coordinates, z.point, strict=True))
    numbers |= {s: nonlocal_value(term, numbers, z) for s, term in residual.nonlocal_terms}
    numbers |= {s: z.of(d) for s, d in residual.jet_variables}
    return number(residual.expr.xreplace(dict.fromkeys(residual.expr.atoms(Field), Float(LEARNED))), numbers)


def number(expr: Expr, numbers: Mapping[Symbol, float]) -> float:
    return compile_function(expr, Layout({s: k for k, s in enumerate(numbers)}, 0))(list(numbers.values()))


def nonlocal_value(term: NonlocalTerm, numbers: Mapping[Symbol, float], z: Trial) -> float:
    """An integral by the adaptive quadrature of QUADPACK, or a value at another point."""
    if term.ranges:
        first, inner = term.ranges[0], replace(term, ranges=term.ranges[1:])
        ends = (number(e, numbers) for e in (first.lower, first.upper))
        return float(quad(lambda s: nonlocal_value(inner, {**numbers, first.variable: s}, z), *ends, epsabs=1e-13)[0])
    values = {}
    for symbol, value in term.values:
        point = [number(x, numbers) for x in value.point]
        past = value.history is not None and point[-1] < float(value.start)
        values[symbol] = number(value.history, numbers) if past else z.at(*point).of(value.derivative)
    return number(term.integrand, {**numbers, **values})


Hand = Callable[[Trial], list[float]]


def spot(z: Trial) -> float:
    return exp(-40 * ((z.x + 0.1) ** 2 + (z.y + 0.05) ** 2))


def stirred(z: Trial, t: float) -> float:
    s = 0.1 + 0.04 * t
    return 0.1 / s * exp(-((z.x - 0.5 * cos(t)) ** 2 + (z.y - 0.5 * sin(t)) ** 2) / s)


def density(z: Trial, t: float) -> float:
    """Of Ornstein and Uhlenbeck, from N(1, 0.1): mean e⁻ᵗ, variance 1 - 0.9 e⁻²ᵗ."""
    variance = 1 - 0.9 * exp(-2 * t)
    return exp(-((z.x - exp(-t)) ** 2) / (2 * variance)) / sqrt(2 * pi * variance)


def laplacian(z: Trial, component: int = 0, axes: str = "xy") -> float:
    return sum(z.d(component, 2 * a) for a in axes)


def transfer_weights(z: Trial, component: int, axes: str = "xy") -> float:
    """v·∇ of a component, v being the first."""
    return sum(z.d(k) * z.d(component, a) for k, a in enumerate(axes))


def measured(name: str) -> CubicSpline:
    arrays = np.load(shipped_specs()["measured_heat"].with_suffix(".npz"))
    return CubicSpline(arrays["x"], arrays[name])


SHIPPED: dict[str, tuple[Hand, Hand]] = {
    "delay": (lambda z: [z.d(0, "t") + (z.at(z.t - 1).d(0) if z.t > 1 else 1)], lambda z: [z.d(0) - 1]),
    "american_put": (
        lambda z: [
            min(
                z.d(0, "t") - 0.02 * z.S**2 * z.d(0, "SS") - 0.05 * z.S * z.d(0, "S") + 0.05 * z.d(0),
                z.d(0) - max(1 - z.S, 0),
            )
        ],
        lambda z: [z.d(0) - max(1 - z.S, 0), z.d(0) - 1, z.d(0)],
    ),
    "obstacle": (lambda z: [min(-laplacian(z), z.d(0) - 0.5 + z.x**2 + z.y**2)], lambda z: [z.d(0)]),
    "heat_family": (  # κ = 0.07, q = 1.3
        lambda z: [z.d(0, "t") - 0.07 * z.d(0, "xx") - 1.3 * sin(pi * z.x)],
        lambda z: [z.d(0), z.d(0), z.d(0)],
    ),
    "measured_heat": (
        lambda z: [
            z.d(0, "t") - measured("conductivity")(z.x) * z.d(0, "xx") - measured("conductivity")(z.x, 1) * z.d(0, "x")
        ],
        lambda z: [z.d(0) - measured("u")(z.x), z.d(0), z.d(0)],
    ),
    "volterra": (
        lambda z: [z.d(0, "x") + z.d(0) - quad(lambda s: exp(s - z.x) * z.at(s).d(0), 0, z.x)[0]],
        lambda z: [z.d(0) - 1],
    ),
    "advection": (lambda z: [z.d(0, "t") + z.d(0, "x")], lambda z: [z.d(0) - exp(sin(2 * pi * z.x))]),
    "allen_cahn": (
        lambda z: [z.d(0, "t") - 1e-4 * z.d(0, "xx") - 5 * z.d(0) + 5 * z.d(0) ** 3],
        lambda z: [z.d(0) - z.x**2 * cos(pi * z.x)],
    ),
    "black_scholes": (
        lambda z: [z.d(0, "t") + 0.08 * z.s**2 * z.d(0, "ss") + 0.05 * z.s * z.d(0, "s") - 0.05 * z.d(0)],
        lambda z: [z.d(0) - max(z.s - 1, 0), z.d(0), z.d(0) - z.s + exp(-0.05 * (1 - z.t))],
    ),
    "burgers": (
        lambda z: [z.d(0, "t") + z.d(0) * z.d(0, "x") - 0.01 / pi * z.d(0, "xx")],
        lambda z: [z.d(0) + sin(pi * z.x), z.d(0), z.d(0)],
    ),
    "cavity": (
        lambda z: [
            transfer_weights(z, 0) + z.d(2, "x") - laplacian(z, 0) / 20,
            transfer_weights(z, 1) + z.d(2, "y") - laplacian(z, 1) / 20,
            z.d(0, "x") + z.d(1, "y"),
        ],
        lambda z: [*(z.d(0), z.d(1)) * 3, z.d(0) - 16 * z.x**2 * (1 - z.x) ** 2, z.d(1)],
    ),
    "fokker_planck": (
        lambda z: [z.d(0, "t") - z.d(0, "xx") - z.d(0) - z.x * z.d(0, "x")],
        lambda z: [z.d(0) - density(z, 0), *[z.d(0) - density(z, z.t)] * 2],
    ),
    "gray_scott": (
        lambda z: [
            z.d(0, "t") - 8e-5 * laplacian(z) + z.d(0) * z.d(1) ** 2 - 0.04 * (1 - z.d(0)),
            z.d(1, "t") - 4e-5 * laplacian(z, 1) - z.d(0) * z.d(1) ** 2 + 0.1 * z.d(1),
        ],
        lambda z: [z.d(0) - 1 + spot(z) / 2, z.d(1) - spot(z) / 4],
    ),
    "hamilton_jacobi": (
        lambda z: [z.d(0, "t") + z.d(0, "x") ** 2 / 2 - 0.05 * z.d(0, "xx")],
        lambda z: [z.d(0) + 0.1 * log(1 + cos(2 * pi * z.x) / 2)],
    ),
    "heat": (
        lambda z: [z.d(0, "t") - 0.1 * z.d(0, "xx")],
        lambda z: [z.d(0) - sin(pi * z.x), z.d(0), z.d(0)],
    ),
    "heat_100d": (
        lambda z: [z.waves[0][-1] * cos(angle(z)) + 0.01 * sum(w**2 for w in z.waves[0][:-1]) * sin(angle(z))],
        lambda z: [2 + sin(angle(z)) - sum(sin(2 * pi * x) for x in z.point[:-1])],
    ),
    "heat_2d": (
        lambda z: [z.d(0, "t") - 0.05 * laplacian(z)],
        lambda z: [
            z.d(0) - 1 - cos(pi * z.x) * cos(2 * pi * z.y),
            *(-z.d(0, "x"), z.d(0, "x"), -z.d(0, "y"), z.d(0, "y")),
        ],
    ),
    "helmholtz": (
        lambda z: [laplacian(z) + z.d(0) - (1 - 17 * pi**2) * sin(pi * z.x) * sin(4 * pi * z.y)],
        lambda z: [z.d(0)] * 4,
    ),
    "inverse_decay": (
        lambda z: [z.d(0, "t") + z.d(0, "x") + LEARNED * z.d(0)],
        lambda z: [z.d(0) - 2 - sin(2 * pi * z.x)],
    ),
    "inverse_heat": (
        lambda z: [z.d(0, "t") - LEARNED * z.d(0, "xx")],
        lambda z: [z.d(0) - sin(pi * z.x), z.d(0), z.d(0)],
    ),
    "kdv": (
        lambda z: [z.d(0, "t") + z.d(0) * z.d(0, "x") + 0.022**2 * z.d(0, "xxx")],
        lambda z: [z.d(0) - cos(pi * z.x)],
    ),
    "kuramoto_sivashinsky": (
        lambda z: [z.d(0, "t") + z.d(0) * z.d(0, "x") + z.d(0, "xx") + z.d(0, "xxxx")],
        lambda z: [z.d(0) - cos(z.x / 16) * (1 + sin(z.x / 16))],
    ),
    "membrane_modes": (lambda z: [-laplacian(z) - 1.25 * z.d(0)], lambda z: [z.d(0)] * 4),  # λ = 1.25
    "poisson": (
        lambda z: [-laplacian(z) - 2 * pi**2 * sin(pi * z.x) * sin(pi * z.y)],
        lambda z: [z.d(0)] * 4,
    ),
    "poisson_disc": (lambda z: [-laplacian(z) - 4], lambda z: [z.d(0)]),
    "poisson_holes": (lambda z: [laplacian(z)], lambda z: [*[z.d(0)] * 4, z.d(0) - 1, z.d(0) + 1]),
    "schroedinger": (
        lambda z: [z.d(0, "t") + z.d(1, "xx") / 2, z.d(1, "t") - z.d(0, "xx") / 2],
        lambda z: [z.d(0) - sin(pi * z.x) - sin(2 * pi * z.x), z.d(1), z.d(0), z.d(0), z.d(1), z.d(1)],
    ),
    "stirring": (
        lambda z: [z.d(0, "t") - z.y * z.d(0, "x") + z.x * z.d(0, "y") - 0.01 * laplacian(z)],
        lambda z: [z.d(0) - stirred(z, 0), *[z.d(0) - stirred(z, z.t)] * 4],
    ),
    "wave": (lambda z: [z.d(0, "tt") - z.d(0, "xx")], lambda z: [z.d(0) - sin(2 * pi * z.x), z.d(0, "t")]),
}
SHIPPED["burgers_shock"] = SHIPPED["burgers_hopf_cole"] = SHIPPED["burgers"]  # the same problem, by other methods


def angle(z: Trial) -> float:
    return z.phases[0] + sum(a * b for a, b in zip(z.waves[0], z.point, strict=True))


BOX = "space (x, y, z) in [0, 1]^3\ntime t in [0, 1]\n"
SQUARE = "space (x, y) in [0, 1]^2 periodic\ntime t in [0, 1]\n"
SYSTEMS: dict[str, tuple[str, Hand]] = {
    "shallow water": (
        SQUARE + "unknown h(x, y, t) : scalar\nunknown p(x, y, t) : scalar\nunknown q(x, y, t) : scalar\n"
        "∂h/∂t + ∂p/∂x + ∂q/∂y = 0\n∂p/∂t + ∂(p²/h + 4h²)/∂x + ∂(p q/h)/∂y = 0\n"
        "∂q/∂t + ∂(p q/h)/∂x + ∂(q²/h + 4h²)/∂y = 0\nh(x, y, 0) = 1\np(x, y, 0) = 0\nq(x, y, 0) = 0\n",
        lambda z: [
            z.d(0, "t") + z.d(1, "x") + z.d(2, "y"),
            z.d(1, "t") + flux(z, 1, 1, "x") + 8 * z.d(0) * z.d(0, "x") + flux(z, 1, 2, "y"),
            z.d(2, "t") + flux(z, 1, 2, "x") + flux(z, 2, 2, "y") + 8 * z.d(0) * z.d(0, "y"),
        ],
    ),
    "Maxwell": (
        SQUARE + "unknown E(x, y, t) : scalar\nunknown H(x, y, t) : vector(2)\n"
        "∂E/∂t = 3 (∂H₂/∂x - ∂H₁/∂y)\n∂H₁/∂t = -∂E/∂y\n∂H₂/∂t = ∂E/∂x\nE(x, y, 0) = 1\nH(x, y, 0) = [0, 0]\n",
        lambda z: [
            z.d(0, "t") - 3 * (z.d(2, "x") - z.d(1, "y")),
            z.d(1, "t") + z.d(0, "y"),
            z.d(2, "t") - z.d(0, "x"),
        ],
    ),
    "Navier-Stokes": (
        BOX + "unknown v(x, y, z, t) : vector(3)\nunknown p(x, y, z, t) : scalar\n"
        "∂v/∂t + v·∇v = -∇p + 0.3Δv\n∇·v = 0\nv(x, y, z, 0) = [0, 0, 0]\nv = [0, 0, 0] on boundary\n",
        lambda z: [
            *(
                z.d(k, "t") + transfer_weights(z, k, "xyz") + z.d(3, a) - 0.3 * laplacian(z, k, "xyz")
                for k, a in enumerate("xyz")
            ),
            z.d(0, "x") + z.d(1, "y") + z.d(2, "z"),
        ],
    ),
}


def flux(z: Trial, one: int, other: int, along: str) -> float:
    """∂(p q/h)/∂x by the rules of products and quotients."""
    h, p, q = z.d(0), z.d(one), z.d(other)
    return (z.d(one, along) * q + p * z.d(other, along)) / h - p * q * z.d(0, along) / h**2


def close(found: list[float], expected: list[float]) -> None:
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)


def statements() -> Iterator[str]:
    for name, path in shipped_specs().items():
        if to_spec(source_of(path)).space.kind is SpaceKind.PHYSICAL:
            yield name


def test_every_shipped_spec_is_here() -> None:
    assert set(statements()) == set(SHIPPED)


@pytest.mark.parametrize("name", SHIPPED)
def test_residuals_of_shipped_specs(name: str) -> None:
    spec = to_spec(source_of(shipped_specs()[name]))
    statement = at_eigenvalue(lower(to_analysis(spec)), Float(1.25))
    if spec.family:
        values = zip(spec.family, (0.07, 1.3), strict=True)
        reference = tuple(reference_at(p.distribution, value) for p, value in values)
        statement = Family(statement, spec.family).member(reference)
    for seed in (1, 2):
        z = Trial(statement, seed)
        equations, conditions = SHIPPED[name]
        close([value(r, statement, z) for r in statement.equations], equations(z))
        close([value(r, statement, z) for c in statement.conditions for r in c.residuals], conditions(z))


@pytest.mark.parametrize("name", SYSTEMS)
def test_residuals_of_systems(name: str) -> None:
    text, hand = SYSTEMS[name]
    statement = lower(to_analysis(to_spec(source_of(f"pde A\n{text}"))))
    z = Trial(statement, 1)
    close([value(r, statement, z) for r in statement.equations], hand(z))
