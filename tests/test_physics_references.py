"""References of the physics benchmark: closed forms in their equations, by finite differences of order 6; numerical
solutions against closed forms or another method.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from math import pi
from pathlib import Path

import numpy as np
import pytest
from numpy import cos, exp, sin
from numpy.typing import NDArray

FOLDER = Path(__file__).parents[1] / "benchmarks"
sys.path.insert(0, str(FOLDER))

import physics_closed_forms as closed  # noqa: E402
import physics_flows as flows  # noqa: E402
import physics_numerics as numerics  # noqa: E402
from physics_problems import PROBLEMS  # noqa: E402

Array = NDArray[np.float64]
# Central differences of order 6 (Fornberg 1988).
FIRST = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
SECOND = {-3: 1 / 90, -2: -3 / 20, -1: 3 / 2, 0: -49 / 18, 1: 3 / 2, 2: -3 / 20, 3: 1 / 90}


class Derivatives:
    """Of the reference of a problem at points inside: `d(0)` is ∂/∂x₁, `d(0, 0)` is ∂²/∂x₁²."""

    def __init__(self, name: str, points: Array, step: float, component: int | None = None) -> None:
        self.points, self.step, self.component = points, step, component
        self.reference = PROBLEMS[name].reference

    def value(self, points: Array) -> Array:
        values = self.reference(points)
        return values if self.component is None else values[:, self.component]

    def __call__(self, *axes: int) -> Array:
        return self._along(axes, self.points)

    def _along(self, axes: tuple[int, ...], points: Array) -> Array:
        if not axes:
            return self.value(points)
        again = len(axes) > 1 and axes[0] == axes[1]
        stencil, rest = (SECOND, axes[2:]) if again else (FIRST, axes[1:])
        unit = self.step * np.eye(points.shape[1])[axes[0]]
        total = sum(w * self._along(rest, points + k * unit) for k, w in stencil.items())
        return np.asarray(total) / self.step ** (2 if again else 1)


def inside(name: str, margin: float) -> Array:
    """Points of a problem that are not near the sides of its box."""
    points = PROBLEMS[name].points()[:400]
    low, high = np.array(PROBLEMS[name].box).T
    return points[np.all((points > low + margin * (high - low)) & (points < high - margin * (high - low)), 1)]


Residual = Callable[[Derivatives], tuple[Array, ...]]
# Terms of the equation, whose sum is zero; h is the step of the differences.
SCALAR: dict[str, tuple[float, Residual]] = {
    "bratu": (1e-2, lambda d: (d(0, 0), 2 * exp(d()))),
    "interior_layer": (5e-4, lambda d: (1e-4 * d(0, 0), d.points[:, 0] * d(0))),
    "euler_beam": (1e-1, lambda d: (d(0, 0, 0, 0), np.ones(len(d.points)))),
    "robin_disc": (1e-2, lambda d: (d(0, 0) + d(1, 1), np.ones(len(d.points)))),
    "annulus": (1e-3, lambda d: (d(0, 0), d(1, 1))),
    "slit": (1e-3, lambda d: (d(0, 0), d(1, 1))),
    "helmholtz_30": (3e-3, lambda d: (d(0, 0), d(1, 1), 900 * d())),
    "laplace_disc": (1e-2, lambda d: (d(0, 0), d(1, 1))),
    "minimal_surface": (
        1e-3,
        lambda d: ((1 + d(1) ** 2) * d(0, 0), -2 * d(0) * d(1) * d(0, 1), (1 + d(0) ** 2) * d(1, 1)),
    ),
    "plate_supported": (
        2e-2,
        lambda d: (d(0, 0, 0, 0), 2 * d(0, 0, 1, 1), d(1, 1, 1, 1), -np.ones(len(d.points))),
    ),
    "telegraph": (1e-2, lambda d: (d(1, 1), 2 * d(1), d(), -d(0, 0))),
    "wave": (1e-2, lambda d: (d(1, 1), -4 * d(0, 0))),
    "wave_long_time": (3e-3, lambda d: (d(2, 2), -d(0, 0), -2 * d(1, 1))),
    "beam_vibration": (1e-2, lambda d: (d(1, 1), d(0, 0, 0, 0))),
    "composite_wall": (
        1e-3,
        lambda d: (d(1), -np.where(d.points[:, 0] < 0.5, 1, 0.1) * d(0, 0)),
    ),
    "heat_incompatible": (1e-3, lambda d: (d(1), -d(0, 0))),
    "heat_multiscale": (3e-3, lambda d: (d(2), -d(0, 0) / (500 * pi) ** 2, -d(1, 1) / pi**2)),
    "black_scholes": (
        1e-3,
        lambda d: (d(1), 0.02 * d.points[:, 0] ** 2 * d(0, 0), 0.05 * d.points[:, 0] * d(0), -0.05 * d()),
    ),
    "fisher_front": (1e-2, lambda d: (d(1), -d(0, 0), -d() * (1 - d()))),
    "sine_gordon": (1e-2, lambda d: (d(1, 1), -d(0, 0), sin(d()))),
    "burgers": (5e-4, lambda d: (d(1), d() * d(0), -0.01 / pi * d(0, 0))),
    "rotating_gaussian": (
        1e-2,
        lambda d: (d(2), -d.points[:, 1] * d(0), d.points[:, 0] * d(1), -0.005 * (d(0, 0) + d(1, 1))),
    ),
    "diffusion_reaction": (
        1e-2,
        lambda d: (
            d(1),
            -d(0, 0),
            -exp(-d.points[:, 1])
            * sum(a * sin(k * d.points[:, 0]) for k, a in ((2, 3 / 2), (3, 8 / 3), (4, 15 / 4), (8, 63 / 8))),
        ),
    ),
    "klein_gordon": (
        1e-2,
        lambda d: (
            d(1, 1) - d(0, 0),
            d() ** 2,
            d.points[:, 0] * cos(d.points[:, 1]) - (d.points[:, 0] * cos(d.points[:, 1])) ** 2,
        ),
    ),
}
RTOL = 1e-4  # of the differences and of rounding, relative to the terms: a wrong coefficient changes the first digits


@pytest.mark.parametrize("name", SCALAR)
def test_closed_form_satisfies_its_equation(name: str) -> None:
    step, residual = SCALAR[name]
    points = inside(name, 0.1)
    if name == "composite_wall":
        points = points[np.abs(points[:, 0] - 0.5) > 0.01]
    terms = residual(Derivatives(name, points, step))
    assert np.linalg.norm(sum(terms)) <= RTOL * sum(np.linalg.norm(t) for t in terms)


def components(name: str, points: Array, step: float) -> list[Derivatives]:
    return [Derivatives(name, points, step, k) for k in range(PROBLEMS[name].reference(points).shape[1])]


VECTOR: dict[str, tuple[float, Callable[..., list[tuple[Array, ...]]]]] = {
    "scatterer": (3e-3, lambda u, v: [(w(0, 0), w(1, 1), 64 * w()) for w in (u, v)]),
    "kovasznay": (
        1e-2,
        lambda u, v, p: [
            (u(0), v(1)),
            *((u() * w(0), v() * w(1), p(k), -0.05 * (w(0, 0) + w(1, 1))) for k, w in enumerate((u, v))),
        ],
    ),
    "maxwell": (1e-2, lambda e, f, h: [(e(2), -h(1)), (f(2), h(0)), (h(2), -e(1), f(0))]),
    "burgers_2d": (
        5e-3,
        lambda u, v: [(w(2), u() * w(0), v() * w(1), -0.001 * (w(0, 0) + w(1, 1))) for w in (u, v)],
    ),
    "schroedinger": (
        1e-2,
        lambda u, v: [
            (u(1), v(0, 0) / 2, -(u.points[:, 0] ** 2) * v() / 2),
            (v(1), -u(0, 0) / 2, u.points[:, 0] ** 2 * u() / 2),
        ],
    ),
    "beltrami": (
        1e-2,
        lambda u, v, w, p: [
            (u(0), v(1), w(2)),
            *(
                (a(3), u() * a(0), v() * a(1), w() * a(2), p(k), -a(0, 0) - a(1, 1) - a(2, 2))
                for k, a in enumerate((u, v, w))
            ),
        ],
    ),
    "stokes": (1e-2, lambda u, v, p: [(u(0), v(1))]),
}


@pytest.mark.parametrize("name", VECTOR)
def test_closed_form_satisfies_its_system(name: str) -> None:
    step, residuals = VECTOR[name]
    for terms in residuals(*components(name, inside(name, 0.1)[:20], step)):
        assert np.linalg.norm(sum(terms)) <= RTOL * sum(np.linalg.norm(t) for t in terms)


def test_entropy_solutions_satisfy_rankine_hugoniot() -> None:
    """d/dt ∫ u dx = f(left) - f(right) over a cell with the shock inside."""
    x = np.linspace(0.2, 0.9, 40_001)

    def integral(t: float) -> float:
        values = closed.buckley_leverett(np.stack([x, np.full_like(x, t)], -1))
        return float(np.mean((values[1:] + values[:-1]) / 2) * (x[-1] - x[0]))

    flux = lambda s: s**2 / (s**2 + 0.5 * (1 - s) ** 2)  # noqa: E731
    times = 0.2 + 0.2 * (np.arange(20) + 0.5) / 20
    inflow = [flux(closed.buckley_leverett(np.array([[0.2, t]]))[0]) for t in times]
    # The shock is between two points: 40,000 cells, so that its place is known to 2e-5.
    assert integral(0.4) - integral(0.2) == pytest.approx(float(np.mean(inflow)) * 0.2, abs=1e-4)


def test_conserved_mean_of_the_breaking_wave() -> None:
    x = (np.arange(20_000) + 0.5) / 20_000
    for t in (0.1, 0.4):
        values = closed.burgers_breaking(np.stack([x, np.full_like(x, t)], -1))
        assert values.mean() == pytest.approx(0.5, abs=1e-4)  # the shock is between two points


def test_etdrk4_has_order_four() -> None:
    """On û′ = -û + û² - …: the logistic equation in disguise, u′ = -u + u², u(0) = ½."""
    exact = 1 / (1 + np.e)
    ends = [
        numerics.etdrk4(np.array([-1.0]), lambda u: u**2, np.array([0.5]), 1 / (10 * n), n)[-1][0] for n in (1, 2, 4)
    ]
    errors = [abs(end - exact) for end in ends]
    for coarse, fine in pairwise(errors):
        assert 12 < coarse / fine < 20  # 16 up to terms of higher order


def test_blasius_wall_shear() -> None:
    h = 1e-3
    f = numerics.blasius(np.array([[0.0], [h], [2 * h]]))
    # f″(0) = 0.332057… (Howarth 1938) on the half line; on [0, 10] the difference is below 1e-5.
    assert (f[2] - 2 * f[1] + f[0]) / h**2 == pytest.approx(0.33206, abs=1e-4)


def test_harmonic_reference_on_the_lshape() -> None:
    """∫u by the midpoint rule, and by quadratic elements with Aitken extrapolation."""
    from skfem import Basis, BilinearForm, ElementTriP2, LinearForm, MeshTri, condense, solve
    from skfem.helpers import dot, grad

    stiffness = BilinearForm(lambda u, v, w: dot(grad(u), grad(v)))
    load = LinearForm(lambda v, w: v)
    means = []
    for level in (2, 3, 4):
        basis = Basis(MeshTri.init_lshaped().refined(level), ElementTriP2())
        right = load.assemble(basis)
        means.append(right @ solve(*condense(stiffness.assemble(basis), right, D=basis.get_dofs())))
    a, b, c = means
    n = 100
    axis = -1 + (np.arange(n) + 0.5) * 2 / n
    p = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    p = p[(p[:, 0] < 0) | (p[:, 1] < 0)]
    # The midpoint rule has an error of h² |∮∂u/∂n|/24 = 5e-5; u itself is at most 0.15.
    assert numerics.poisson_lshape(p).sum() * (2 / n) ** 2 == pytest.approx(
        c - (c - b) ** 2 / (c - 2 * b + a), abs=1e-4
    )


def test_cavity_reference_converges() -> None:
    p = np.random.default_rng(0).random((300, 2))
    coarse, fine = flows.cavity_stream_function(20)(p)[:, :2], flows.cavity_stream_function(26)(p)[:, :2]
    assert np.linalg.norm(coarse - fine) < 2e-3 * np.linalg.norm(
        fine
    )  # weak corner singularities: algebraic convergence, 5e-5 between 32 and 40 points


def test_ghias_table_at_reynolds_number_100() -> None:
    """Differences with Richardson extrapolation are within the accuracy of the table."""
    ghia = np.array(" ".join(flows.GHIA[100]).split(), float)
    assert flows.vorticity_table(100, 40) == pytest.approx(ghia, abs=0.01)


@pytest.mark.slow
def test_botella_and_peyret_used_places_with_four_digits() -> None:
    table = np.array(" ".join(flows.BOTELLA).split(), float)
    assert flows.vorticity_table(1000, 96, flows.BOTELLA_Y, flows.BOTELLA_X) == pytest.approx(table, abs=2e-4)
    at_nodes = flows.vorticity_table(1000, 96)
    assert np.abs(at_nodes - table).max() > 4e-4


@pytest.mark.slow
def test_table_of_the_cavity_at_reynolds_number_3200() -> None:
    """The stored values by differences are those of a coarser grid up to its error; Ghia's
    differ more at eight places next to the walls."""
    stored = np.array(" ".join(flows.DIFFERENCES_3200).split(), float)
    assert flows.vorticity_table(3200, 80) == pytest.approx(stored, abs=1e-2)
    distance = np.abs(np.array(" ".join(flows.GHIA[3200]).split(), float) - stored)
    assert distance.max() < 0.05
    assert np.flatnonzero(distance > 0.01).tolist() == [0, 1, 2, 3, 26, 27, 28, 29]


def test_every_spec_has_a_reference() -> None:
    assert {path.stem for path in (FOLDER / "physics").glob("*.pde")} >= set(PROBLEMS)
