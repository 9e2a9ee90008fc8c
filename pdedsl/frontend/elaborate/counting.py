"""Counts the conditions on the boundary, as the theory requires them.

On every piece of the boundary an unknown of order 2m in space needs m conditions for each of its components. At a side
of the box the order is that of the derivatives normal to it; an odd order 2m + 1 needs m at one end and m + 1 at the
other, which for

    ∂u/∂t = a ∂²ᵐ⁺¹u/∂x²ᵐ⁺¹

is the upper one where (-1)ᵐ a > 0 (by the energy ∫u²: for Korteweg-de Vries, a = -1, at the right). The first order
needs at most one: where values enter. Where an equation without time derivative gives one unknown by another, as
Δψ = -ω, surplus conditions of the first count for the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sympy import Symbol

from pdedsl import mistakes
from pdedsl.diagnostics import Reporter
from pdedsl.frontend.elaborate.pieces import Piece, applies, pieces_of, region_in, selected
from pdedsl.ir.spec import Condition, ConditionKind, Equation, Spec, Unknown
from pdedsl.ir.types import Vector
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.evaluating import Point
from pdedsl.symbolic.regions import Region
from pdedsl.symbolic.symbols import Field, Partial


@dataclass(frozen=True)
class Need:
    """How many conditions an unknown needs on a piece of the boundary, at least and at most."""

    least: int
    most: int
    order: int


@dataclass(frozen=True)
class Counted:
    """The number of conditions of an unknown at a point of a piece, and how many are missing or in excess."""

    piece: Piece
    given: Fraction
    lacking: Fraction
    surplus: Fraction
    point: Point | None


def count_conditions(spec: Spec, reporter: Reporter) -> None:
    """Reports pieces of the boundary with too few conditions, or with too many."""
    pieces, region = [p for p in pieces_of(spec) if p.is_there], region_in(spec)
    found: dict[Symbol, list[Counted]] = {u.head: [] for u in spec.unknowns}
    for piece in pieces:
        needs = {u.head: _need(piece, u, spec) for u in spec.unknowns}
        own = {u.head: [c for c in spec.conditions if c.unknown == u.head and applies(c, piece)] for u in spec.unknowns}
        partial = any(c.part for conditions in own.values() for c in conditions)
        for point in (piece.points or (None,)) if partial else (None,):
            given = {h: sum((_rows(c, spec) for c in own[h] if _holds(c, point, region)), Fraction(0)) for h in own}
            for head, counted in _settled(piece, given, needs, point, spec).items():
                found[head].append(counted)
    for unknown in spec.unknowns:
        joins = any(_is_apart(c, spec) for c in spec.conditions if c.unknown == unknown.head)  # refused in planning
        if not joins and any(_concerns(e, unknown.head) for e in spec.equations):
            _report(unknown, found[unknown.head], pieces, spec, reporter)


def _rows(condition: Condition, spec: Spec) -> Fraction:
    """How many scalar conditions a statement gives on each side; u(0, t) = u(1, t) is one for two sides."""
    return Fraction(len(condition.value), len(condition.sides) if _is_apart(condition, spec) else 1)


def _is_apart(condition: Condition, spec: Spec) -> bool:
    """Whether a condition contains an unknown at points other than its own variables."""
    own = {u.head: tuple(u.arguments) for u in spec.unknowns}
    fields = (f for v in condition.value for f in atoms(v, Field) if f.head in own)
    return any(tuple(f.arguments) != own[f.head] for f in fields)


def _holds(condition: Condition, point: Point | None, region: Region) -> bool:
    return point is None or bool(selected(condition.part, [point], region))


def _concerns(equation: Equation, head: Symbol) -> bool:
    return equation.unknown == head or any(f.head == head for e in equation.right for f in atoms(e, Field))


def _settled(
    piece: Piece, given: dict[Symbol, Fraction], needs: dict[Symbol, Need], point: Point | None, spec: Spec
) -> dict[Symbol, Counted]:
    """What is missing and what is in excess, after the surplus of each unknown is counted for those that give it."""
    surplus = {h: max(Fraction(0), given[h] - needs[h].most) for h in given}
    lacking = {h: max(Fraction(0), needs[h].least - given[h]) for h in given}
    for giver in given:
        for taker in _given_by(giver, spec):
            moved = min(surplus[giver], lacking[taker])
            surplus[giver] -= moved
            lacking[taker] -= moved
    return {h: Counted(piece, given[h], lacking[h], surplus[h], point) for h in given}


def _given_by(head: Symbol, spec: Spec) -> list[Symbol]:
    """The other unknowns in an unknown's equations without time derivative."""
    own = [e for e in spec.equations if e.unknown == head and not e.order]
    inside = {f.head for e in own for r in e.right for f in atoms(r, Field)}
    return [u.head for u in spec.unknowns if u.head in inside and u.head != head]


# ---- what a piece needs


def _need(piece: Piece, unknown: Unknown, spec: Spec) -> Need:
    order = max((_order(e, unknown.head, piece.axis, spec) for e in spec.equations), default=0)
    any_axis = max((_order(e, unknown.head, None, spec) for e in spec.equations), default=0)
    least, most = order // 2, max(order - order // 2, min(any_axis, 1))  # transport along a side allows one
    if order % 2 and order > 1 and piece.axis is not None:
        least, most = _odd(order, piece, unknown, spec)
    size = _size(unknown, spec)
    return Need(least * size, most * size, order)


def _size(unknown: Unknown, spec: Spec) -> int:
    dimension = spec.space.dimension if isinstance(spec.space.dimension, int) else 1
    return (unknown.type.size or dimension) if isinstance(unknown.type, Vector) else 1


def _order(equation: Equation, head: Symbol, axis: int | None, spec: Spec) -> int:
    """The highest order of an unknown's derivatives in space, counting one coordinate or all."""
    time, space = spec.time.symbol if spec.time else None, spec.space
    orders = []
    for p in {p for e in equation.right for p in atoms(e, Partial)}:
        if any(f.head == head for f in atoms(p.body, Field)):
            slots = [s for s in p.slots if s != time]
            across = axis is None or not space.explicit
            orders.append(len(slots) if across else sum(s == space.coordinates[axis or 0] for s in slots))
    return max(orders, default=0)


def _odd(order: int, piece: Piece, unknown: Unknown, spec: Spec) -> tuple[int, int]:
    """The bounds for an odd order: m at one end and m + 1 at the other, if the sign of the coefficient tells which."""
    own = [e for e in spec.equations if e.unknown == unknown.head and e.order == 1 and len(e.right) == 1]
    least = order // 2
    if len(own) != 1 or not spec.space.explicit or piece.axis is None:
        return least, least + 1
    x = spec.space.coordinates[piece.axis]
    slope = Partial(Field(unknown.head, (), unknown.arguments), *(x,) * order)
    coefficient = own[0].right[0].coeff(slope) * (-1) ** (order // 2)
    late = any(c.kind is ConditionKind.TERMINAL and c.unknown == unknown.head for c in spec.conditions)
    if not (coefficient.is_positive or coefficient.is_negative):
        return least, least + 1
    above = bool(coefficient.is_positive) is not late
    count = least + (piece.upper is above)
    return count, count


# ---- reports


def _report(unknown: Unknown, found: list[Counted], pieces: list[Piece], spec: Spec, reporter: Reporter) -> None:
    bare = [c.piece.name for c in found if c.lacking and not c.given and c.point is None]
    few = next((c for c in found if c.lacking and (c.given or c.point is not None)), None)
    some = tuple(dict.fromkeys(bare)) if len(set(bare)) < len(pieces) else ()
    one_is_enough = all(c.lacking <= 1 for c in found)
    behind = max(e.span.end for e in spec.equations) if one_is_enough else None
    if bare:
        reporter.add(mistakes.equations.no_condition_on(unknown.name, some, unknown.span, behind))
    elif few is not None:
        counts = str(few.given), str(few.given + few.lacking)
        reporter.add(mistakes.equations.few_conditions_on(unknown.name, *counts, _place(few, spec), unknown.span))
    elif found and _is_free(unknown.head, spec):
        reporter.add(mistakes.equations.no_condition_on(unknown.name, (), unknown.span, behind))
    for condition in (c for c in spec.conditions if c.unknown == unknown.head and c.on_boundary):
        crowded = [c for c in found if c.surplus and applies(condition, c.piece)]
        if crowded and _is_last(condition, crowded[0], spec):
            told = crowded[0].piece.name, int(crowded[0].given - crowded[0].surplus)
            reporter.add(mistakes.equations.many_conditions_on(unknown.name, *told, condition.span))


def _is_free(head: Symbol, spec: Spec) -> bool:
    """Whether derivatives in space, but neither a time derivative nor a boundary condition, determine an unknown and
    all that share equations with it: u_x = f leaves a constant of integration."""
    linked, sharing = {head}, [_heads(e, spec) for e in spec.equations]
    while more := {h for heads in sharing if heads & linked for h in heads} - linked:
        linked |= more
    own = [e for e, heads in zip(spec.equations, sharing, strict=True) if heads & linked]
    differential = any(_order(e, h, None, spec) for e in own for h in linked)
    settled = any(e.order for e in own) or any(c.on_boundary and c.unknown in linked for c in spec.conditions)
    return differential and not settled


def _heads(equation: Equation, spec: Spec) -> set[Symbol]:
    """The unknowns in an equation."""
    return {u.head for u in spec.unknowns if _concerns(equation, u.head)}


def _place(counted: Counted, spec: Spec) -> str:
    name = counted.piece.name
    if counted.point is None:
        return name
    names = (*spec.space.names, *((spec.time.name,) if spec.time else ()))
    values = ", ".join(f"{x:.2g}" for x in counted.point)
    if len(names) != len(counted.point):
        return f"a part of {name}"
    return f"a part of {name}, as at ({', '.join(names)}) = ({values})"


def _is_last(condition: Condition, counted: Counted, spec: Spec) -> bool:
    same = [c for c in spec.conditions if c.unknown == condition.unknown and applies(c, counted.piece)]
    return condition is same[-1]
