"""The pieces of a domain's boundary (sides of the box, surfaces of the shape), and what conditions select of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, cancel

from pdedsl.ir.spec import Condition, Level, Space, Spec, Time, side_names
from pdedsl.symbolic.evaluating import Point, compiled
from pdedsl.symbolic.regions import Region, region_of

MANY = 64  # sample points of a piece
FEW = 4  # of a surface in many dimensions, where each is expensive
WRITTEN_OUT = 16


@dataclass(frozen=True)
class Piece:
    """A side or a surface that bounds the domain, with sample points; a side of a plain box needs none."""

    name: str
    axis: int | None
    upper: bool
    level: Level | None
    points: tuple[Point, ...] | None

    @property
    def is_there(self) -> bool:
        return self.points is None or bool(self.points)


def region_in(spec: Spec) -> Region:
    """The domain, with its time."""
    return region_within(spec.space, spec.time)


def region_within(space: Space, time: Time | None) -> Region:
    ends = [(s.start, s.end) for s in space.sides] + ([(time.start, time.end)] if time else [])
    inside = [g.expr for g in space.inside]
    return region_of(space.coordinates, len(space.sides), ends, time.symbol if time else None, inside)


def pieces_of(spec: Spec) -> list[Piece]:
    """All pieces of the boundary except periodic sides."""
    looked_at = bool(spec.space.inside) or any(c.part for c in spec.conditions)
    region = region_in(spec)
    sides = [
        Piece(name, k, upper, None, tuple(region.face(k, upper, MANY)) if looked_at else None)
        for k, side in enumerate(spec.space.sides)
        if not side.periodic
        for name, upper in zip(side_names(k), (False, True), strict=True)
    ]
    surfaces = [
        Piece(_equation(spec.source.quote(g.span)), None, False, g, tuple(points_on(g.expr, region)))
        for g in spec.space.inside
    ]
    return [*sides, *surfaces]


def _equation(inequality: str) -> str:
    """`x² + y² = 1` for `x² + y² < 1`, as it stands in a condition; a chain of inequalities is quoted."""
    text, count = re.subn("[<>]=?|[≤≥]", "=", inequality)
    return text if count == 1 else f"'{inequality}'"


def points_on(level: Expr, region: Region) -> list[Point]:
    return region.surface(level, MANY if region.layout.dimension <= WRITTEN_OUT else FEW)


def applies(condition: Condition, piece: Piece) -> bool:
    """Whether a condition is for a piece, or for a part of it."""
    if piece.level is None:
        return piece.name in condition.sides
    return any(is_same(s.expr, piece.level.expr) for s in condition.surfaces)


def is_same(a: Expr, b: Expr) -> bool:
    """Whether two functions vanish on the same surface because their quotient is constant."""
    if a in (b, -b):
        return True
    ratio = cancel(a / b)
    return bool(ratio.is_number and ratio != 0)


def selected(part: Sequence[Level], points: Sequence[Point], region: Region) -> list[Point]:
    """The points at which the inequalities of a condition hold."""
    parts = [compiled(g.expr, region.layout) for g in part]
    return [p for p in points if all(g(p) > 0 for g in parts)]


def selects(condition: Condition, region: Region) -> bool:
    """Whether a condition selects points on every side and surface that it names."""
    sides = all(_on_side(side, condition.part, region) for side in condition.sides)
    return sides and all(_on_surface(s, condition.part, region) for s in condition.surfaces)


def reached(space: Space, time: Time | None, part: Sequence[Level]) -> tuple[tuple[str, ...], tuple[Level, ...]]:
    """The sides and surfaces that bound a domain and on which the inequalities of `part` hold somewhere."""
    if not (space.inside or part):
        return space.boundary, ()
    region = region_within(space, time)
    sides = tuple(side for side in space.boundary if _on_side(side, part, region))
    return sides, tuple(g for g in space.inside if _on_surface(g, part, region))


def _on_side(side: str, part: Sequence[Level], region: Region) -> bool:
    k, upper = next((k, up) for k in range(region.layout.dimension) for up in (0, 1) if side_names(k)[up] == side)
    return bool(selected(part, region.face(k, bool(upper), MANY), region))


def _on_surface(level: Level, part: Sequence[Level], region: Region) -> bool:
    return bool(selected(part, points_on(level.expr, region), region))
