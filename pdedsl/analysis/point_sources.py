"""Exact solutions of equations with point sources δ(x - a): their strength.

An exact solution is regular away from the sources. At x = a, A ∂ᵐu/∂xᵐ + … + q δ(x - a) = 0 requires
A [∂ᵐ⁻¹u/∂xᵐ⁻¹] = -q, and Σ Aₖ ∂²u/∂xₖ² + q Π δ(xₖ - aₖ) + … = 0 the flux ∮ A∇u·n ds = -q through small spheres
(Stakgold, Holst 2011, section 1.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import cos, pi, sin, sqrt

from sympy import Add, DiracDelta, Dummy, Expr, Rational, S

from pdedsl.analysis.sample_points import Point, value_at
from pdedsl.ir.spec import Spec
from pdedsl.symbolic.point_sources import Concentrated, split_point_sources
from pdedsl.symbolic.symbols import Field, Partial, atoms

OFFSET = 1e-6  # relative to the domain: the distance from a source, for one-sided limits and small spheres
STRENGTH_RTOL = 1e-3  # far above the errors of limits at this distance
DIRECTIONS = {2: 64, 3: 2000}  # quadrature points of a circle, and of a sphere
GOLDEN_ANGLE = pi * (3 - sqrt(5))
TIME_FRACTIONS = (0.37, 0.81)
Direction = tuple[float, ...]


def source_violation(terms: Sequence[Expr], substitute_solution: Callable[[Expr], Expr], spec: Spec) -> float:
    """The largest difference between the strength of a source in an equation, whose terms these are, and that of the
    exact solution; zero if it is small, or if the equation has another form."""
    regular, concentrated = split_point_sources(Add(*terms))
    worst = 0.0
    for source in concentrated:
        flux = _flux(regular, source, substitute_solution)
        for point in _points_at_source(source, spec) if flux else ():
            strength = value_at(source.strength.xreplace(spec.values), point)
            found = _outward_flux(flux, source, point, spec)
            difference = abs(strength + found) if strength is not None and found is not None else 0.0
            if found is not None and difference > STRENGTH_RTOL * max(abs(strength or 0.0), abs(found)):
                worst = max(worst, difference)
    return worst


def _flux(regular: Expr, source: Concentrated, substitute_solution: Callable[[Expr], Expr]) -> tuple[Expr, ...]:
    """For each coordinate x of a source A ∂ᵐ⁻¹u/∂xᵐ⁻¹, for the derivatives A ∂ᵐu/∂xᵐ of highest order; empty if there
    are others of this order, or if A contains an unknown."""
    fluxes = []
    for x, _ in source.places:
        derivatives = atoms(regular, Partial)
        order = max((p.slots.count(x) for p in derivatives), default=0)
        highest = [p for p in derivatives if p.slots.count(x) == order]
        if not order or any(len(p.slots) != order or not isinstance(p.body, Field) for p in highest):
            return ()
        parts = []
        for p in highest:
            variable = Dummy(real=True)
            coefficient = regular.xreplace({p: variable}).diff(variable)
            lower = Partial(p.body, *p.slots[1:]) if order > 1 else p.body
            parts.append(coefficient * substitute_solution(lower))
        fluxes.append(Add(*parts))
    steps = {d for e in fluxes for d in e.atoms(DiracDelta)}
    smooth = tuple(e.xreplace(dict.fromkeys(steps, S.Zero)) for e in fluxes)
    return () if any(e.has(Field, Partial) for e in smooth) else smooth


def _points_at_source(source: Concentrated, spec: Spec) -> Iterator[Point]:
    """The place of a source, at the center of the other coordinates, and at some times."""
    axes = zip(spec.space.coordinates, spec.space.intervals, strict=True)
    place: Point = {x: dict(source.places).get(x, (i.start + i.end) / 2).xreplace(spec.values) for x, i in axes}
    if spec.time is None:
        yield place
        return
    start, end = (e.xreplace(spec.values) for e in (spec.time.start, spec.time.end))
    for fraction in TIME_FRACTIONS:
        yield place | {spec.time.symbol: start + Rational(fraction) * (end - start)}


def _outward_flux(fluxes: tuple[Expr, ...], source: Concentrated, point: Point, spec: Spec) -> float | None:
    """The flux through a small sphere, in one coordinate the jump; None where it is undefined."""
    dimension, lengths = len(source.places), [i.end - i.start for i in spec.space.intervals]
    radius = OFFSET * float(min(lengths).xreplace(spec.values))
    directions = list(_directions(dimension))
    area = {1: 2.0, 2: 2 * pi * radius, 3: 4 * pi * radius**2}[dimension]
    total = 0.0
    for direction in directions:
        at = point | {x: a + Rational(radius * n) for (x, a), n in zip(source.places, direction, strict=True)}
        values = [value_at(e.xreplace(spec.values), at) for e in fluxes]
        if any(v is None for v in values):
            return None
        total += sum(v * n for v, n in zip(values, direction, strict=True) if v is not None)
    return area * total / len(directions)


def _directions(dimension: int) -> Iterator[Direction]:
    """Unit vectors: both ends, equidistant on a circle, and a Fibonacci lattice on the sphere."""
    match dimension:
        case 1:
            yield from ((-1.0,), (1.0,))
        case 2:
            angles = (2 * pi * (k + 0.5) / DIRECTIONS[2] for k in range(DIRECTIONS[2]))
            yield from ((cos(a), sin(a)) for a in angles)
        case _:
            for k in range(DIRECTIONS[3]):
                z, angle = 1 - (2 * k + 1) / DIRECTIONS[3], GOLDEN_ANGLE * k
                rho = sqrt(1 - z * z)
                yield (rho * cos(angle), rho * sin(angle), z)
