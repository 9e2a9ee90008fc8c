"""Elaboration of `space` and `time`: intervals, polygons, meshes, R^d, images, pixels, and inequalities."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TypeGuard

from sympy import Expr, Symbol, pi

from pdedsl import errors
from pdedsl.config.base import Forms, forms_of
from pdedsl.config.blocks import Image
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Interval, LevelFunction, Space, SpaceKind, Time
from pdedsl.language import ast as t
from pdedsl.language.elaborate.curvilinear import metric_of, periodic_angle
from pdedsl.language.elaborate.environment import Environment
from pdedsl.language.elaborate.expressions import tensor
from pdedsl.language.elaborate.mesh_files import mesh_box, mesh_levels
from pdedsl.language.elaborate.options import elaborate_option
from pdedsl.language.elaborate.polygons import bounding_box, polygon_levels, polygon_vertices
from pdedsl.symbolic.complex_numbers import is_complex
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field

# ---- Intervals


def interval_of(expr: t.Expr, env: Environment) -> Interval:
    if not isinstance(expr, t.ListExpr) or len(expr.items) != 2:
        raise errors.types.not_an_interval(expr.span)
    if moving := next((e for e in expr.items if _depends_on_time(e, env)), None):
        raise errors.unsupported.not_supported(errors.unsupported.MOVING_DOMAIN, moving.span)
    start, end = (env.number(e) for e in expr.items)
    if not start < end:
        raise errors.types.empty_interval(notation(start), notation(end), expr.span)
    return Interval(start, end)


def _depends_on_time(expr: t.Expr, env: Environment) -> bool:
    """Whether an endpoint is a function of time, as in [0, 1 + t] or [0, s(t)]."""
    nodes = list(t.walk(expr))
    if any(isinstance(n, t.Derivative) for n in nodes):
        return False
    names = (n.id for n in nodes if isinstance(n, t.Name))
    return any(isinstance(env.declared.get(name), t.TimeDecl) for name in names)


# ---- Level-set functions of inequalities and surfaces


def inequality_level(inequality: t.Inequality, env: Environment, timed: bool = False) -> LevelFunction:
    """The function g of g > 0; strict and non-strict inequalities are treated alike."""
    left, right = (_known_scalar(e, env, timed) for e in (inequality.left, inequality.right))
    return _level(right - left if inequality.relation.startswith("<") else left - right, inequality.span)


def surface_level(curve: t.SurfaceEquation, env: Environment) -> LevelFunction:
    """The function F of F = 0."""
    left, right = (_known_scalar(e, env, timed=False) for e in (curve.left, curve.right))
    return _level(left - right, curve.span)


def _level(expr: Expr, span: Span) -> LevelFunction:
    if expr.is_number:
        raise errors.equations.no_coordinate(span)
    return LevelFunction(expr, span)


def _known_scalar(expr: t.Expr, env: Environment, timed: bool) -> Expr:
    """A scalar that depends only on the position, and with `timed` also on the time."""
    value = tensor(expr, env.scope(), 0).expr.xreplace(env.numbers)
    if value.has(Field):
        raise errors.equations.unknown_in_level_set(expr.span)
    if is_complex(value):
        raise errors.types.complex_value("an inequality or a surface", expr.span)
    if not timed and env.time is not None and env.time.symbol in value.free_symbols:
        raise errors.equations.time_dependent_domain(env.time.name, expr.span)
    return value


# ---- Space and time


MAX_EXPLICIT_DIMENSION = 16  # above it, the position is one symbol and sums stay symbolic
MAX_INTERVALS = 1000  # dimensions of a bounded domain
MAX_DIMENSION = 10**9  # larger numbers are typing errors; the dimension stays symbolic in proofs
IMAGES: Forms[Image] = forms_of(Image)
MAX_INEQUALITIES = 32  # of a domain: sample points are computed on each surface


def space_of(declaration: t.SpaceDecl, env: Environment) -> Space:
    """The space of a spec."""
    factors = declaration.factors
    bodies = [f.body for f in factors]
    if declaration.system is not None and not all(map(_is_interval, bodies)):
        raise errors.types.not_a_space(declaration.system.span)
    if all(_is_interval(b) for b in bodies):
        return _physical_space(declaration, env)
    if len(bodies) == 1 and not (factors[0].periodic or factors[0].antiperiodic):
        if _is_call(bodies[0], "polygon"):
            return _polygon_space(declaration, bodies[0], env)
        if _is_call(bodies[0], "mesh"):
            return _mesh_space(declaration, bodies[0], env)
    if declaration.where:
        raise errors.equations.inequality_without_domain(declaration.where[0].span)
    periodic = next((f for f in factors if f.periodic or f.antiperiodic), None)
    if periodic:
        raise errors.types.periodic_interval(periodic.span)
    if len(factors) > 1:
        raise errors.types.product_of_intervals(declaration.span)
    match bodies[0]:
        case t.Name(id="pixels"):
            return _space(SpaceKind.PIXELS, declaration, 2)
        case t.Name(id=("R" | "ℝ")):
            return _space(SpaceKind.DATA, declaration, 1)
        case t.Power(base=t.Name(id=("R" | "ℝ")), exponent=exponent):
            return _space(SpaceKind.DATA, declaration, _dimension(exponent, env))
        case t.Call(head=t.Name(id="image")) as call:
            image = elaborate_option(call, IMAGES, "space", env.number).config.shape
            if image[2] in (1, 3) and image[0] not in (1, 3) and image[0] == image[1]:
                env.reporter.add(errors.types.channels_last(image, call.span))
            return _space(SpaceKind.DATA, declaration, prod(image), image=image)
        case other:
            raise errors.types.not_a_space(other.span)


def point_space(time: t.TimeDecl) -> Space:
    """The space without coordinates of a system of ordinary differential equations."""
    return Space(SpaceKind.PHYSICAL, (), 0, (), explicit=True, span=time.span)


def _is_interval(body: t.Expr) -> bool:
    return isinstance(body, t.ListExpr) or (isinstance(body, t.Power) and isinstance(body.base, t.ListExpr))


def _is_call(body: t.Expr, word: str) -> TypeGuard[t.Call]:
    return isinstance(body, t.Call) and isinstance(body.head, t.Name) and body.head.id == word


def _polygon_space(declaration: t.SpaceDecl, call: t.Call, env: Environment) -> Space:
    vertices = polygon_vertices(call, env)
    space = _space(SpaceKind.PHYSICAL, declaration, 2, intervals=bounding_box(vertices))
    return replace(space, inequalities=polygon_levels(vertices, space.coordinates, call.span))


def _mesh_space(declaration: t.SpaceDecl, call: t.Call, env: Environment) -> Space:
    if declaration.where:
        raise errors.types.mesh_with_inequalities(declaration.where[0].span)
    count = len(declaration.names)
    space = _space(SpaceKind.PHYSICAL, declaration, count, intervals=mesh_box(call, env.folder, count))
    return replace(space, inequalities=mesh_levels(call, env.folder, space.coordinates))


def _physical_space(declaration: t.SpaceDecl, env: Environment) -> Space:
    intervals: list[Interval] = []
    for factor in declaration.factors:
        body, times = factor.body, 1
        if isinstance(body, t.Power):
            dimension = _dimension(body.exponent, env)
            if not isinstance(dimension, int):
                raise errors.types.dimension_not_a_number(body.exponent.span)
            body, times = body.base, dimension
        if len(intervals) + times > MAX_INTERVALS:
            raise errors.types.too_many_dimensions(MAX_INTERVALS, factor.span)
        if factor.antiperiodic and len(intervals) + times > MAX_EXPLICIT_DIMENSION:
            raise errors.types.too_many_dimensions(MAX_EXPLICIT_DIMENSION, factor.span)
        if factor.antiperiodic:
            env.antiperiodic |= dict.fromkeys(range(len(intervals), len(intervals) + times), factor.span)
        interval = interval_of(body, env)
        intervals += [Interval(interval.start, interval.end, factor.periodic)] * times
    space = _space(SpaceKind.PHYSICAL, declaration, len(intervals), intervals=tuple(intervals))
    return space if declaration.system is None else _with_metric(space, declaration)


def _with_metric(space: Space, declaration: t.SpaceDecl) -> Space:
    """The space with its metric; an angle about the axis is periodic over 2π."""
    metric = metric_of(declaration, space.coordinates, space.intervals)
    angle = periodic_angle(metric.system, len(space.coordinates))
    intervals = tuple(
        replace(i, periodic=True) if k == angle and i.end - i.start == 2 * pi else i
        for k, i in enumerate(space.intervals)
    )
    return replace(space, metric=metric, intervals=intervals)


def _dimension(expr: t.Expr, env: Environment) -> int | Symbol:
    """An integer or a constant; an undeclared name is the dimension, which the data set determines."""
    if isinstance(expr, t.Name) and expr.id not in env.declared:
        return Symbol(expr.text, integer=True, positive=True)
    value = env.number(expr)
    if not value.is_Integer or not 1 <= value <= MAX_DIMENSION:
        raise errors.types.invalid_dimension(expr.span)
    return int(value)


def _space(
    kind: SpaceKind,
    declaration: t.SpaceDecl,
    dimension: int | Symbol,
    image: tuple[int, int, int] | None = None,
    intervals: tuple[Interval, ...] = (),
) -> Space:
    names = declaration.names
    for i, name in enumerate(names):
        if name in names[:i]:
            raise errors.names.duplicate_coordinate(name.text, name.span)
    if len(names) > 1 and len(names) != dimension:
        raise errors.types.coordinate_count(len(names), dimension, declaration.span)
    explicit = isinstance(dimension, int) and dimension <= MAX_EXPLICIT_DIMENSION and image is None
    if not explicit or (len(names) == 1 and dimension == 1) or len(names) > 1:
        coordinates = tuple(Symbol(n.text, real=True) for n in names)
    else:
        coordinates = tuple(Symbol(f"{names[0].text}_{i}", real=True) for i in range(1, int(dimension) + 1))
    texts = tuple(n.text for n in names)
    return Space(kind, texts, dimension, coordinates, explicit, image, intervals, declaration.span)


def inequalities_of(declaration: t.SpaceDecl, env: Environment) -> tuple[LevelFunction, ...]:
    """The inequalities of a domain, as functions of the coordinates of its box."""
    if len(declaration.where) > MAX_INEQUALITIES:
        raise errors.syntax.too_many_inequalities(len(declaration.where), MAX_INEQUALITIES, declaration.span)
    return tuple(inequality_level(w, env) for w in declaration.where)


def time_of(declaration: t.TimeDecl, env: Environment) -> Time:
    interval = interval_of(declaration.interval, env)
    symbol = Symbol(declaration.name.text, real=True)
    return Time(declaration.name.text, symbol, interval.start, interval.end, declaration.span)
