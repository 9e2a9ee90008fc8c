"""The problems in `physics/`: where they are compared with which reference, in which norm, and the goal.

A reference gives NaN for a component that it does not have. `accuracy` is an estimate of its relative error, not a
bound. tests/test_physics_references.py checks most closed forms in their equations, and some numerical solutions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import inf, pi

import numpy as np
import physics_closed_forms as closed
import physics_elements as elements
import physics_flows as flows
import physics_numerics as numerics
from numpy import cos, exp, sin
from numpy.typing import NDArray
from physics_closed_forms import Array
from physics_numerics import LEVELS

Box = tuple[tuple[float, float], ...]
Function = Callable[[Array], Array]
ROUNDING = 1e-12  # of a closed form
SAMPLES, SEED = 2000, 20


class Norm(StrEnum):
    L2 = "L2"
    L1 = "L1"
    MAX = "max"


@dataclass(frozen=True)
class Problem:
    """`box`: intervals of the coordinates in the order of the arguments, time last. `inside` selects the domain.
    `at_levels`: the reference is available at the times T j / 10 only. `gauge`: a component up to a constant.
    `pinnacle`: name of the problem in PINNacle. `learned`: the reference is for this function, not for the unknown.
    """

    reference: Function
    box: Box
    accuracy: float = ROUNDING
    inside: Callable[[Array], NDArray[np.bool_]] | None = None
    at_levels: bool = False
    gauge: int | None = None
    goal: float = 1e-4
    norm: Norm = Norm.L2
    smooth: bool = True
    pinnacle: str = ""
    learned: str = ""
    places: Array | None = None

    def points(self) -> Array:
        if self.places is not None:
            return self.places
        random = np.random.default_rng(SEED)
        low, high = np.array(self.box, float).T
        points = np.empty((0, len(low)))
        while len(points) < SAMPLES:
            drawn = low + (high - low) * random.random((SAMPLES, len(low)))
            points = np.concatenate([points, drawn if self.inside is None else drawn[self.inside(drawn)]])
        points = points[:SAMPLES]
        if self.at_levels:
            points[:, -1] = high[-1] / LEVELS * random.integers(1, LEVELS + 1, SAMPLES)
        return points

    def error(self, values: Array, points: Array) -> float:
        """Relative error of values (n, c), over all components together; in the maximum norm absolute."""
        expected = self.reference(points).reshape(len(points), -1)
        values = values.reshape(len(points), -1)
        if not np.isfinite(values).all():
            return inf
        difference = values - expected
        if self.gauge is not None:
            difference[:, self.gauge] -= difference[:, self.gauge].mean()
            expected[:, self.gauge] -= expected[:, self.gauge].mean()
        known = np.isfinite(expected)
        difference, expected = difference[known], expected[known]
        if self.norm is Norm.MAX:
            return float(np.abs(difference).max())
        power = 1 if self.norm is Norm.L1 else 2
        return float(np.linalg.norm(difference, power) / np.linalg.norm(expected, power))


UNIT, SYMMETRIC = (0.0, 1.0), (-1.0, 1.0)


def outside(*circles: tuple[float, ...]) -> Callable[[Array], NDArray[np.bool_]]:
    """Outside all circles or spheres, given by centre and radius."""
    return lambda p: np.all([((p[:, : len(c) - 1] - c[:-1]) ** 2).sum(1) > c[-1] ** 2 for c in circles], 0)


def disc(p: Array) -> NDArray[np.bool_]:
    return (p**2).sum(1) < 1


def ring(inner: float) -> Callable[[Array], NDArray[np.bool_]]:
    return lambda p: disc(p) & ((p**2).sum(1) > inner**2)


def separable(*factors: Callable[[Array], Array]) -> Function:
    """∏ f(x) over the coordinates."""
    return lambda p: np.prod([f(column) for f, column in zip(factors, p.T, strict=True)], 0)


def sine(k: float) -> Callable[[Array], Array]:
    return lambda x: sin(k * pi * x)


def decay(rate: float) -> Callable[[Array], Array]:
    return lambda t: exp(-rate * t)


def shock(reference: Function, box: Box) -> Problem:
    return Problem(reference, box, goal=1e-2, norm=Norm.L1, smooth=False)


def corner(reference: Function, box: Box, accuracy: float, **options: object) -> Problem:
    return Problem(reference, box, accuracy, goal=1e-3, smooth=False, **options)  # type: ignore[arg-type]


def cavity(reynolds: int, goal: float) -> Problem:
    places, values = flows.cavity_table(reynolds)
    return Problem(lambda p: values, (UNIT, UNIT), goal, places=places, goal=goal, norm=Norm.MAX, smooth=False)


SPHERES = ((0.4, 0.3, 0.6, 0.2), (0.6, 0.7, 0.6, 0.2), (0.2, 0.8, 0.7, 0.1), (0.6, 0.2, 0.3, 0.1))

PROBLEMS: dict[str, Problem] = {
    # Ordinary differential equations: boundary value problems
    "poisson_dirichlet": Problem(separable(sine(1)), (SYMMETRIC,)),
    "poisson_neumann": Problem(lambda p: (p[:, 0] + 1) ** 2, (SYMMETRIC,)),
    "poisson_robin": Problem(lambda p: (p[:, 0] + 1) ** 2, (SYMMETRIC,)),
    "poisson_periodic": Problem(separable(sine(1)), (SYMMETRIC,)),
    "poisson_multiscale": Problem(lambda p: sin(2 * pi * p[:, 0]) + 0.1 * sin(50 * pi * p[:, 0]), (UNIT,)),
    "boundary_layer_1e3": Problem(lambda p: closed.boundary_layer(p, 1e-3), (UNIT,)),
    "boundary_layer_1e6": Problem(lambda p: closed.boundary_layer(p, 1e-6), (UNIT,)),
    "reaction_layer": Problem(closed.reaction_layer, (UNIT,)),
    "interior_layer": Problem(closed.interior_layer, (SYMMETRIC,)),
    "euler_beam": Problem(lambda p: -(p[:, 0] ** 2) * (p[:, 0] ** 2 - 4 * p[:, 0] + 6) / 24, (UNIT,)),
    "bratu": Problem(closed.bratu, (UNIT,)),
    "blasius": Problem(numerics.blasius, ((0, 10),), 1e-10),
    # Initial value problems
    "lotka_volterra": Problem(numerics.lotka_volterra, (UNIT,), 1e-9),
    "lorenz": Problem(numerics.lorenz, ((0, 3),), 1e-8),
    "van_der_pol": Problem(numerics.van_der_pol, ((0, 20),), 1e-8),
    "robertson": Problem(numerics.robertson, ((0, 100),), 1e-8),
    # Elliptic
    "helmholtz": Problem(separable(sine(4), sine(4)), (UNIT, UNIT)),
    "helmholtz_30": Problem(lambda p: closed.plane_waves(p, 30), (UNIT, UNIT)),
    "helmholtz_100": Problem(lambda p: closed.plane_waves(p, 100), (UNIT, UNIT)),
    "anisotropic": Problem(separable(sine(1), sine(1)), (UNIT, UNIT)),
    "poisson_neumann_2d": Problem(
        lambda p: (cos(pi * p[:, 0]) * cos(2 * pi * p[:, 1]))[:, None], (UNIT, UNIT), gauge=0
    ),
    "poisson_many_area": Problem(numerics.poisson_many_area, ((-10, 10), (-10, 10)), 1e-6, pinnacle="Poisson 2d-MS"),
    "laplace_disc": Problem(
        lambda p: p[:, 0] + p[:, 0] ** 2 - ((p**2).sum(1) - 1) / 2, (SYMMETRIC, SYMMETRIC), inside=disc
    ),
    "robin_disc": Problem(closed.robin_disc, (SYMMETRIC, SYMMETRIC), inside=disc),
    "annulus": Problem(closed.annulus, (SYMMETRIC, SYMMETRIC), inside=ring(0.3)),
    "interface": Problem(closed.interface, (SYMMETRIC, SYMMETRIC), smooth=False),
    "slit": corner(closed.slit, (SYMMETRIC, UNIT), ROUNDING),
    "poisson_lshape": corner(
        numerics.poisson_lshape, (SYMMETRIC, SYMMETRIC), 1e-6, inside=lambda p: (p[:, 0] < 0) | (p[:, 1] < 0)
    ),
    "poisson_holes": Problem(
        numerics.poisson_holes,
        ((-0.5, 0.5), (-0.5, 0.5)),
        1e-6,
        inside=outside(*numerics.FOUR_HOLES),
        pinnacle="Poisson 2d-C",
    ),
    "poisson_boltzmann": Problem(
        numerics.poisson_boltzmann,
        (SYMMETRIC, SYMMETRIC),
        1e-5,
        inside=outside(*numerics.UNEQUAL_HOLES),
        pinnacle="Poisson 2d-CG",
    ),
    "poisson_3d_holes": Problem(
        separable(lambda x: cos(pi * x), lambda y: cos(2 * pi * y), lambda z: cos(pi * z)),
        (UNIT, UNIT, UNIT),
        inside=outside(*SPHERES),
        pinnacle="Poisson 3d-CG",
    ),
    "poisson_5d": Problem(lambda p: sin(pi / 2 * p).sum(1), (UNIT,) * 5, pinnacle="PNd"),
    "bratu_2d": Problem(numerics.bratu_2d, (UNIT, UNIT), 1e-7),
    "minimal_surface": Problem(lambda p: np.log(cos(p[:, 1]) / cos(p[:, 0])), (SYMMETRIC, SYMMETRIC)),
    "plate_clamped": Problem(numerics.plate_clamped, (UNIT, UNIT), 1e-7),
    "plate_supported": Problem(closed.plate_supported, (UNIT, UNIT), 1e-9),
    "elasticity": Problem(closed.elasticity, (UNIT, UNIT)),
    "darcy": Problem(numerics.darcy, (UNIT, UNIT), 1e-6, smooth=False),
    "scatterer": Problem(closed.scatterer, (SYMMETRIC, SYMMETRIC), 1e-10, inside=ring(0.25)),
    # Flows
    "stokes": Problem(closed.stokes, (UNIT, UNIT), gauge=2),
    "kovasznay": Problem(closed.kovasznay, ((-0.5, 1), (-0.5, 1.5)), gauge=2),
    "cavity_smooth": Problem(flows.cavity_smooth, (UNIT, UNIT), 3e-5, smooth=False, pinnacle="NS 2d-C"),
    "backward_step": corner(
        elements.stored("backward_step"), ((0, 4), (0, 2)), 4e-4, inside=elements.below_step, pinnacle="NS 2d-CG"
    ),
    "cavity_100": cavity(100, 1e-2),
    "cavity_1000": cavity(1000, 1e-4),
    "cavity_3200": cavity(3200, 1e-2),
    "beltrami": Problem(closed.beltrami, (SYMMETRIC,) * 3 + (UNIT,), gauge=3),
    # Heat and diffusion
    "diffusion": Problem(separable(sine(1), decay(1)), (SYMMETRIC, UNIT)),
    "diffusion_reaction": Problem(closed.diffusion_reaction, ((-pi, pi), UNIT)),
    "heat_incompatible": Problem(closed.heat_incompatible, (UNIT, UNIT), smooth=False),
    "composite_wall": Problem(closed.composite_wall, (UNIT, (0, 2)), 1e-9, smooth=False),
    "heat_varying": Problem(numerics.heat_varying, (UNIT, UNIT, (0, 5)), 1e-7, at_levels=True, pinnacle="Heat 2d-VC"),
    "heat_multiscale": Problem(
        separable(sine(20), sine(1), decay(1 + 0.04**2)), (UNIT, UNIT, (0, 5)), pinnacle="Heat 2d-MS"
    ),
    "heat_long_time": Problem(
        numerics.heat_long_time, (UNIT, UNIT, (0, 100)), 1e-6, at_levels=True, pinnacle="Heat 2d-LT"
    ),
    "heat_holes": Problem(
        elements.stored("heat_holes"),
        ((-8, 8), (-12, 12), (0, 3)),
        4e-5,
        at_levels=True,
        inside=outside(*numerics.LARGE, *numerics.SMALL),
        smooth=False,
        pinnacle="Heat 2d-CG",
    ),
    "heat_5d": Problem(
        lambda p: exp((p[:, :5] ** 2).sum(1) / 2 + p[:, 5]),
        (SYMMETRIC,) * 5 + (UNIT,),
        inside=lambda p: (p[:, :5] ** 2).sum(1) < 1,
        pinnacle="HNd",
    ),
    "heat_100d": Problem(closed.heat_100d, (UNIT,) * 101),
    "black_scholes": Problem(closed.black_scholes, ((0, 4), UNIT), 1e-9, smooth=False),
    "rotating_gaussian": Problem(closed.rotating_gaussian, ((-3, 3), (-3, 3), (0, 2 * pi)), 1e-7),
    # Reaction and diffusion
    "fisher_front": Problem(closed.fisher_front, ((-5, 5), UNIT)),
    "allen_cahn": Problem(numerics.allen_cahn, (SYMMETRIC, UNIT), 1e-6, at_levels=True),
    "allen_cahn_periodic": Problem(numerics.allen_cahn_periodic, (SYMMETRIC, UNIT), 1e-6, at_levels=True),
    "cahn_hilliard": Problem(numerics.cahn_hilliard, (SYMMETRIC, UNIT), 1e-7, at_levels=True),
    "gray_scott": Problem(numerics.gray_scott, (SYMMETRIC, SYMMETRIC, (0, 50)), 1e-6, at_levels=True),
    # Waves
    "wave": Problem(
        lambda p: closed.modes(p, {1: 2 * pi, 4: 8 * pi}, {1: 1, 4: 0.5}), (UNIT, UNIT), pinnacle="Wave 1d-C"
    ),
    "wave_long_time": Problem(closed.wave_long_time, (UNIT, UNIT, (0, 100))),
    "wave_heterogeneous": Problem(
        numerics.wave_heterogeneous, (SYMMETRIC, SYMMETRIC, (0, 5)), 1e-6, at_levels=True, pinnacle="Wave 2d-CG"
    ),
    "telegraph": Problem(closed.telegraph, (UNIT, (0, 5))),
    "beam_vibration": Problem(lambda p: closed.modes(p, {1: pi**2, 2: 4 * pi**2}, {1: 1, 2: 0.5}), (UNIT, UNIT)),
    "klein_gordon": Problem(lambda p: p[:, 0] * cos(p[:, 1]), (SYMMETRIC, (0, 10))),
    "sine_gordon": Problem(closed.sine_gordon, ((-20, 20), (0, 20)), 1e-6),
    "schroedinger": Problem(closed.schroedinger, ((-8, 8), (0, 2 * pi)), 1e-9),
    "nonlinear_schroedinger": Problem(numerics.nonlinear_schroedinger, ((-5, 5), (0, 1.5)), 1e-7, at_levels=True),
    "maxwell": Problem(closed.maxwell, (UNIT, UNIT, (0, 2))),
    "advection": Problem(lambda p: exp(-100 * sin(pi * (p[:, 0] - p[:, 1] - 0.5)) ** 2), (UNIT, (0, 10))),
    # Burgers, Korteweg-de Vries, Kuramoto-Sivashinsky
    "burgers": Problem(closed.burgers, (SYMMETRIC, UNIT), 1e-10, pinnacle="Burgers 1d-C"),
    "burgers_2d": Problem(closed.burgers_2d, ((0, 4), (0, 4), UNIT), 1e-8, pinnacle="Burgers 2d-C"),
    "kdv": Problem(numerics.kdv, (SYMMETRIC, UNIT), 1e-6, at_levels=True),
    "kuramoto_sivashinsky": Problem(numerics.kuramoto_sivashinsky, ((0, 32 * pi), (0, 50)), 1e-6, at_levels=True),
    # Conservation laws
    "burgers_shock": shock(closed.burgers_shock, (SYMMETRIC, UNIT)),
    "burgers_breaking": shock(closed.burgers_breaking, (UNIT, (0, 0.4))),
    "buckley_leverett": shock(closed.buckley_leverett, (UNIT, (0, 0.5))),
    "traffic": shock(closed.traffic, (SYMMETRIC, (0, 0.8))),
    # Inverse
    "inverse_heat": Problem(
        lambda p: 2 + sin(pi * p[:, 0]) * sin(pi * p[:, 1]), (SYMMETRIC, SYMMETRIC), learned="a", pinnacle="HInv"
    ),
}
