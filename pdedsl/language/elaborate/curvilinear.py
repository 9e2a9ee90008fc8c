"""Orthogonal curvilinear coordinates: scale factors, ∇ and ∇· in the orthonormal frame, regularity on the axes.

∇f = Σ eᵢ (1/hᵢ) ∂f/∂xᵢ and ∇·F = (1/J) Σ ∂(J Fᵢ/hᵢ)/∂xᵢ with J = h₁h₂h₃ (Morse, Feshbach 1953, section 1.3). A function
that is symmetric and smooth at an axis is even there: its odd derivatives vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sympy import Expr, Integer, S, Symbol, cancel, pi, simplify, sin

from pdedsl import errors
from pdedsl.diagnostics import Span, closest_match
from pdedsl.ir.boundary import Face
from pdedsl.ir.spec import Condition, ConditionKind, Interval, Metric, Spec
from pdedsl.ir.types import Scalar, Vector
from pdedsl.language import ast as t
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field, Partial, atoms

SYSTEMS = {
    "polar": ("(r, θ)", "r"),
    "cylindrical": ("(r, z)", "(r, θ, z)", "r"),
    "spherical": ("r", "(r, θ)", "(r, θ, φ)"),
}


def metric_of(declaration: t.SpaceDecl, coordinates: Sequence[Symbol], intervals: Sequence[Interval]) -> Metric:
    """The metric of the declared coordinates; a radius, angles and an axial coordinate by their places."""
    system = declaration.system
    assert system is not None
    name, count = system.id, len(coordinates)
    if name not in SYSTEMS:
        raise errors.types.unknown_system(system.text, list(SYSTEMS), closest_match(name, SYSTEMS), system.span)
    if declaration.where:
        raise errors.types.restricted_coordinates(name, declaration.where[0].span)
    form = _form(name, coordinates)
    if form is None:
        raise errors.types.coordinates_of_system(name, SYSTEMS[name], declaration.span)
    scales, volume = form
    polar, azimuth = name == "spherical" and count > 1, periodic_angle(name, count)
    _require_ranges(declaration, coordinates, intervals, polar, azimuth)
    axes = tuple(_axes(intervals, polar))
    has_angle = azimuth is not None or polar
    for axis in axes:
        k, upper = axis.coordinate, axis.upper
        if (k == 0 and has_angle) or (k == 1 and azimuth is not None):
            end = intervals[k].end if upper else intervals[k].start
            raise errors.types.axis_with_angle(coordinates[k].name, notation(end), declaration.factors[k].span)
    return Metric(name, scales, volume, axes)


def _form(system: str, coordinates: Sequence[Symbol]) -> tuple[tuple[Expr, ...], Expr] | None:
    """Scale factors and volume element; None for another number of coordinates."""
    one = S.One
    match system, tuple(coordinates):
        case (("polar" | "cylindrical"), (r,)):
            return (one,), 2 * pi * r
        case "polar", (r, _):
            return (one, r), r
        case "cylindrical", (r, _):
            return (one, one), 2 * pi * r
        case "cylindrical", (r, _, _):
            return (one, r, one), r
        case "spherical", (r,):
            return (one,), 4 * pi * r**2
        case "spherical", (r, theta):
            return (one, r), 2 * pi * r**2 * sin(theta)
        case "spherical", (r, theta, _):
            return (one, r, r * sin(theta)), r**2 * sin(theta)
        case _:
            return None


def periodic_angle(system: str, count: int) -> int | None:
    """The place of the angle about the axis, which is periodic over 2π."""
    return {("polar", 2): 1, ("cylindrical", 3): 1, ("spherical", 3): 2}.get((system, count))


def _require_ranges(
    declaration: t.SpaceDecl,
    coordinates: Sequence[Symbol],
    intervals: Sequence[Interval],
    has_polar_angle: bool,
    azimuth: int | None,
) -> None:
    """0 ≤ r, 0 ≤ θ ≤ π for the polar angle of a sphere, and an angle about the axis of at most 2π."""
    span = declaration.span
    if intervals[0].start < 0:
        raise errors.types.range_of_coordinate(coordinates[0].name, "0", "", span)
    if has_polar_angle and (intervals[1].start < 0 or intervals[1].end > pi):
        raise errors.types.range_of_coordinate(coordinates[1].name, "0", "π", span)
    if azimuth is not None and intervals[azimuth].end - intervals[azimuth].start > 2 * pi:
        low = notation(intervals[azimuth].start)
        raise errors.types.range_of_coordinate(coordinates[azimuth].name, low, f"{low} + 2π", span)


def _axes(intervals: Sequence[Interval], has_polar_angle: bool) -> Iterator[Face]:
    if intervals[0].start == 0:
        yield Face(0, False)
    if has_polar_angle:
        if intervals[1].start == 0:
            yield Face(1, False)
        if intervals[1].end == pi:
            yield Face(1, True)


# ---- Operators


def inverse_scale(metric: Metric | None, index: Expr) -> Expr:
    """1/hᵢ; 1 in Cartesian coordinates."""
    return S.One if metric is None else 1 / metric.scales[int(index) - 1]


def logarithmic_derivative(metric: Metric, index: Expr, coordinates: Sequence[Symbol]) -> Expr:
    """(1/J) ∂(J/hᵢ)/∂xᵢ."""
    k = int(index) - 1
    flux = metric.volume / metric.scales[k]
    return simplify(cancel(flux.diff(coordinates[k]) / metric.volume))


def require_scalar(metric: Metric | None, rank: int, operator: str, span: Span) -> None:
    """Derivatives of vectors have terms with Christoffel symbols, which are not supported."""
    if metric is not None and rank:
        raise errors.types.vector_in_curvilinear_coordinates(operator, metric.system, span)


# ---- Regularity


def regularity_conditions(spec: Spec) -> Iterator[Condition]:
    """∂ᵏu/∂xᵏ = 0 on an axis, for all odd k below the order of the equations."""
    metric = spec.space.metric
    for axis in metric.axes if metric else ():
        x = spec.space.coordinates[axis.coordinate]
        for unknown in spec.unknowns:
            indices: list[tuple[Expr, ...]] = [()]
            if isinstance(unknown.type, Vector) and unknown.type.is_complex:
                indices = [(Integer(k),) for k in range(1, (unknown.type.size or 0) + 1)]
            elif not isinstance(unknown.type, Scalar):
                continue
            fields = {p for e in spec.equations for s in e.summands for r in s.exprs for p in atoms(r, Partial)}
            own = [p for p in fields if isinstance(p.body, Field) and p.body.head == unknown.head]
            order = max((p.slots.count(x) for p in own), default=0)
            for k in range(1, order, 2):
                value = tuple(Partial(Field(unknown.head, i, unknown.arguments), *(x,) * k) for i in indices)
                yield Condition(ConditionKind.BOUNDARY, unknown.head, 0, value, (axis,), spec.space.span)
