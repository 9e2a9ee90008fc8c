"""`data("u0.npz")`: the interpolant of an array in a file, a function of the coordinates for which it has arrays.

The file has a strictly increasing array for each coordinate, by name, and the values on their tensor grid; or arrays of
the same length with the two coordinates of scattered points and their values. Names, types, shapes, ranges and finite
values are checked when the spec is elaborated.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from sympy import Expr, Symbol

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.io import shipped_folder
from pdedsl.ir.spec import Interval, SpaceKind
from pdedsl.language import ast as t
from pdedsl.language.elaborate.scope import Scope
from pdedsl.language.names import canonical_name
from pdedsl.numerics.grid_data import (
    END_RTOL,
    GridSource,
    GridSpline,
    InvalidArray,
    array_names,
    load_spline,
    register_file,
)
from pdedsl.numerics.scattered_data import ScatteredSource, is_scattered, make_scattered
from pdedsl.symbolic.data_functions import data_function
from pdedsl.symbolic.evaluate import Layout, PointFunction, compile_function

DATA_FUNCTIONS = ("data", "npz")
COVERING_POINTS = 32  # intervals of each axis, at whose ends scattered points must cover the domain


def data_expression(call: t.Call, scope: Scope) -> Expr:
    """The interpolant at the coordinates."""
    if scope.constant:
        raise errors.types.not_constant(call.span)
    if not call.args or len(call.args) > 2 or call.named or not all(isinstance(a, t.String) for a in call.args):
        raise errors.types.data_arguments(call.span)
    if scope.space.kind is not SpaceKind.PHYSICAL or not scope.space.explicit:
        raise errors.types.data_off_domain(call.span)
    file, *rest = (a.value for a in call.args if isinstance(a, t.String))
    path = _find(file, scope.names.folder, call.span)
    try:
        names = array_names(path)
        axes = [(x, i, n) for x, i in _coordinates(scope) for n in names if canonical_name(n) == canonical_name(x.name)]
        quantity = _quantity([n for n in names if n not in [a for _, _, a in axes]], rest, scope)
        if not axes or quantity not in names:
            expected = f"{', '.join(x.name for x, _ in _coordinates(scope))} and the values"
            raise errors.runs.unexpected_arrays(path.name, names, expected, call.span)
        if is_scattered(path, quantity, [a for _, _, a in axes]):
            return _scattered_expression(file, path, quantity, axes, call, scope)
        periods = tuple(float(i.end - i.start) if i.periodic else None for _, i, _ in axes)
        source = GridSource(file, register_file(path), quantity, tuple(a for _, _, a in axes), periods)
        _require_covering(load_spline(source), axes, path, call.span)
    except InvalidArray as reason:
        raise errors.runs.invalid_grid(path.name, str(reason), call.span) from None
    return data_function(source, (0,) * len(axes))(*(x for x, _, _ in axes))


def _scattered_expression(
    file: str, path: Path, quantity: str, axes: list[tuple[Symbol, Interval, str]], call: t.Call, scope: Scope
) -> Expr:
    """The interpolant of values at scattered points, whose convex hull contains the domain."""
    if any(i.periodic for _, i, _ in axes):
        raise InvalidArray("scattered points on periodic axes are not supported: use a grid")
    interpolant = make_scattered(path, quantity, [a for _, _, a in axes])
    levels = [_level_function(g.expr, [x for x, _, _ in axes], scope) for g in scope.space.inequalities]
    (_, one, _), (_, two, _) = axes
    lines = [
        [float(i.start) + float(i.end - i.start) * k / COVERING_POINTS for k in range(COVERING_POINTS + 1)]
        for i in (one, two)
    ]
    for point in product(*lines):
        if all(level(point) > 0 for level in levels) and not interpolant.covers(point):
            raise InvalidArray(f"the convex hull of its points does not contain ({point[0]:g}, {point[1]:g})")
    source = ScatteredSource(file, register_file(path), quantity, tuple(a for _, _, a in axes))
    return data_function(source, (0, 0))(*(x for x, _, _ in axes))


def _level_function(expr: Expr, coordinates: list[Symbol], scope: Scope) -> PointFunction:
    """A level function of the domain at points of these coordinates; positive everywhere if it has others."""
    known = expr.xreplace(scope.names.numbers)
    if not known.free_symbols <= {*coordinates}:
        return lambda _: 1.0
    return compile_function(known, Layout({x: k for k, x in enumerate(coordinates)}, len(coordinates)))


def _coordinates(scope: Scope) -> Iterator[tuple[Symbol, Interval]]:
    yield from zip(scope.space.coordinates, scope.space.intervals, strict=True)
    time = scope.names.time_interval()
    if scope.time is not None and time is not None:
        yield scope.time, time


def _find(file: str, folder: Path, span: Span) -> Path:
    """Beside the spec, relative to the working directory, or beside the shipped specs."""
    places = [folder / file, Path(file), shipped_folder() / file]
    for place in places:
        if place.is_file():
            return place
    raise errors.runs.data_file_not_found(file, list(dict.fromkeys(str(p.absolute()) for p in places)), span)


def _quantity(others: list[str], named: list[str], scope: Scope) -> str:
    """The named array, the only one that is not a coordinate, or the only one with the name of an unknown."""
    if named:
        return named[0]
    unknowns = [n for n in others if canonical_name(n) in map(canonical_name, scope.names.unknown_names())]
    return next((only[0] for only in (others, unknowns) if len(only) == 1), "")


def _require_covering(spline: GridSpline, axes: list[tuple[Symbol, Interval, str]], path: Path, span: Span) -> None:
    """Requires the grid to cover the domain along axes that are not periodic."""
    for (x, interval, _), knots in zip(axes, spline.knots, strict=True):
        low, high = float(interval.start), float(interval.end)
        slack = END_RTOL * (high - low)
        if not interval.periodic and (knots[0] > low + slack or knots[-1] < high - slack):
            raise errors.runs.grid_too_small(path.name, x.name, (knots[0], knots[-1]), (low, high), span)
