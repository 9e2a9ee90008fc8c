"""Point sources `δ(x - 0.3)`, ASCII `delta(x - 0.3)`: terms of an equation with known strengths."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Abs, Expr, S, Symbol

from pdedsl import errors
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import SpaceKind, Summand
from pdedsl.language.elaborate.scope import Scope
from pdedsl.symbolic.point_sources import NoDecomposition, split_point_sources
from pdedsl.symbolic.printing import notation
from pdedsl.symbolic.rewrite import expand
from pdedsl.symbolic.symbols import Field, PointSource, atoms

NAME = "delta"  # where it is not declared


def is_point_source(name: str, scope: Scope) -> bool:
    """Whether a name is δ: it is neither declared nor an index."""
    known = name in scope.local or name in scope.indices
    return name == NAME and not known and scope.names.is_undeclared(name)


def point_source(argument: Expr, span: Span, scope: Scope) -> Expr:
    """δ(c x - d) = δ(x - d/c)/|c| for a coordinate x."""
    space = scope.space
    if scope.constant or space.kind is not SpaceKind.PHYSICAL or not space.explicit or space.metric is not None:
        raise errors.point_sources.off_domain(span)
    argument = argument.xreplace(scope.names.numbers)
    own = [x for x in space.coordinates if x in argument.free_symbols]
    if not own and scope.time in argument.free_symbols:
        raise errors.point_sources.impulse(span)
    rate = argument.diff(own[0]) if len(own) == 1 and not argument.has(Field) else S.Zero
    place = expand(own[0] - argument / rate) if rate.is_number and rate != 0 else S.NaN
    if not (place.is_number and place.is_real):
        raise errors.point_sources.invalid_argument(space.coordinates[0].name if space.coordinates else "x", span)
    interval = space.intervals[space.coordinates.index(own[0])]
    if not interval.start < place < interval.end:
        ends = notation(interval.start), notation(interval.end)
        raise errors.point_sources.outside(own[0].name, notation(place), *ends, span)
    return PointSource(own[0], place) / Abs(rate)


def require_point_sources(summands: Iterable[Summand], heads: frozenset[Symbol]) -> None:
    """Requires the point sources of an equation to have known strengths."""
    for summand in summands:
        for expr in summand.exprs:
            try:
                _, concentrated = split_point_sources(expr)
            except NoDecomposition:
                raise errors.point_sources.not_a_source(summand.span) from None
            if any(f.head in heads for c in concentrated for f in atoms(c.strength, Field)):
                raise errors.point_sources.strength_with_unknown(summand.span)


def require_no_point_sources(summands: Iterable[Summand]) -> None:
    """Refuses point sources in conditions."""
    for summand in summands:
        if any(e.has(PointSource) for e in summand.exprs):
            raise errors.point_sources.in_condition(summand.span)
