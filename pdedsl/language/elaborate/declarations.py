"""`[a, b]`."""

from __future__ import annotations

from math import prod

from sympy import Expr, Symbol

from pdedsl import errors
from pdedsl.config.base import Forms, forms_of
from pdedsl.config.blocks import Image
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Interval, LevelFunction, Space, SpaceKind, Time
from pdedsl.language import ast as t
from pdedsl.language.elaborate.environment import Environment
from pdedsl.language.elaborate.expressions import tensor
from pdedsl.language.elaborate.options import elaborate_option
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.symbols import Field

# ---- intervals


def interval_of(expr: t.Expr, env: Environment) -> Interval:
    if not isinstance(expr, t.ListExpr) or len(expr.items) != 2:
        raise errors.types.not_an_interval(expr.span)
    start, end = (env.number(e) for e in expr.items)
    if not start < end:
        raise errors.types.empty_interval(notation(start), notation(end), expr.span)
    return Interval(start, end)


# ---- levels
# Inequalities and curves → functions whose sign or zero set they describe.


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
        raise errors.equations.not_known(expr.span)
    if not timed and env.time is not None and env.time.symbol in value.free_symbols:
        raise errors.equations.moving(env.time.name, expr.span)
    return value


# ---- domain
# `space` and `time` declarations → where the equation lives.


MAX_EXPLICIT_DIMENSION = 16  # dimensions that are written out in components
MAX_INTERVALS = 1000  # of a bounded domain
MAX_DIMENSION = 10**9
IMAGES: Forms[Image] = forms_of(Image)
MAX_INEQUALITIES = 32  # inequalities of a shape: points are searched for on each


def space_of(declaration: t.SpaceDecl, env: Environment) -> Space:
    """The space of a spec."""
    sides = declaration.factors
    bodies = [s.body for s in sides]
    if all(_is_interval(b) for b in bodies):
        return _physical_space(declaration, env)
    if declaration.where:
        raise errors.equations.not_physical(declaration.where[0].span)
    loose = next((s for s in sides if s.periodic), None)
    if loose:
        raise errors.types.periodic_interval(loose.span)
    if len(sides) > 1:
        raise errors.types.product_of_intervals(declaration.span)
    match bodies[0]:
        case t.Name(id="pixels"):
            return _space(SpaceKind.PIXELS, declaration, 2)
        case t.Name(id=("R" | "ℝ")):
            return _space(SpaceKind.DATA, declaration, 1)
        case t.Power(base=t.Name(id=("R" | "ℝ")), exponent=exponent):
            return _space(SpaceKind.DATA, declaration, _dimension(exponent, env))
        case t.Call(head=t.Name(id="image")) as call:
            image = elaborate_option(call, IMAGES, "space", env.number).word.shape
            if image[2] in (1, 3) and image[0] not in (1, 3) and image[0] == image[1]:
                env.reporter.add(errors.types.channels_last(image, call.span))
            return _space(SpaceKind.DATA, declaration, prod(image), image=image)
        case other:
            raise errors.types.not_a_space(other.span)


def _is_interval(body: t.Expr) -> bool:
    return isinstance(body, t.ListExpr) or (isinstance(body, t.Power) and isinstance(body.base, t.ListExpr))


def _physical_space(declaration: t.SpaceDecl, env: Environment) -> Space:
    intervals: list[Interval] = []
    for side in declaration.factors:
        body, times = side.body, 1
        if isinstance(body, t.Power):
            dimension = _dimension(body.exponent, env)
            if not isinstance(dimension, int):
                raise errors.types.dimension_not_a_number(body.exponent.span)
            body, times = body.base, dimension
        if len(intervals) + times > MAX_INTERVALS:
            raise errors.types.many_dimensions(MAX_INTERVALS, side.span)
        piece = interval_of(body, env)
        intervals += [Interval(piece.start, piece.end, side.periodic)] * times
    return _space(SpaceKind.PHYSICAL, declaration, len(intervals), sides=tuple(intervals))


def _dimension(expr: t.Expr, env: Environment) -> int | Symbol:
    """A number or a constant; a free letter is the dimension, to be determined by the data."""
    if isinstance(expr, t.Name) and expr.id not in env.declared:
        return Symbol(expr.text, integer=True, positive=True)
    value = env.number(expr)
    if not value.is_Integer or not 1 <= value <= MAX_DIMENSION:
        raise errors.types.not_a_dimension(expr.span)
    return int(value)


def _space(
    kind: SpaceKind,
    declaration: t.SpaceDecl,
    dimension: int | Symbol,
    image: tuple[int, int, int] | None = None,
    sides: tuple[Interval, ...] = (),
) -> Space:
    names = declaration.names
    for i, name in enumerate(names):
        if name in names[:i]:
            raise errors.names.coordinate_twice(name.text, name.span)
    if len(names) > 1 and len(names) != dimension:
        raise errors.types.wrong_number_of_coordinates(len(names), dimension, declaration.span)
    explicit = isinstance(dimension, int) and dimension <= MAX_EXPLICIT_DIMENSION and image is None
    if not explicit or (len(names) == 1 and dimension == 1) or len(names) > 1:
        coordinates = tuple(Symbol(n.text, real=True) for n in names)
    else:
        coordinates = tuple(Symbol(f"{names[0].text}_{i}", real=True) for i in range(1, int(dimension) + 1))
    texts = tuple(n.text for n in names)
    return Space(kind, texts, dimension, coordinates, explicit, image, sides, declaration.span)


def inequalities_of(declaration: t.SpaceDecl, env: Environment) -> tuple[LevelFunction, ...]:
    """The inequalities of a shape, in the coordinates of its box."""
    if len(declaration.where) > MAX_INEQUALITIES:
        raise errors.syntax.many_inequalities(len(declaration.where), MAX_INEQUALITIES, declaration.span)
    return tuple(inequality_level(w, env) for w in declaration.where)


def time_of(declaration: t.TimeDecl, env: Environment) -> Time:
    piece = interval_of(declaration.interval, env)
    symbol = Symbol(declaration.name.text, real=True)
    return Time(declaration.name.text, symbol, piece.start, piece.end, declaration.span)
