"""Whether the zero function, and constants, satisfy the conditions other than the first datum."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite

from sympy import Abs, Dummy, Expr, Heaviside, Max, Min, Mul, Rational, S, Symbol, sign

from pdedsl.analyse.jets import assumed
from pdedsl.analyse.known import domain_of
from pdedsl.analyse.positivity import strictly_positive
from pdedsl.analyse.problem import Problem
from pdedsl.analyse.samples import Ranges, ranges_of
from pdedsl.analyse.signs import box_of, is_zero
from pdedsl.analyse.states import multiples, state_of
from pdedsl.ir.spec import Condition, Spec, side_names
from pdedsl.symbolic.activations import Activation
from pdedsl.symbolic.atoms import atoms
from pdedsl.symbolic.evaluating import compiled
from pdedsl.symbolic.replacing import replaced
from pdedsl.symbolic.symbols import Component, Field

POINTS = 8  # on each curve
BEYOND = 1e-6  # values above this are not rounding errors


def further(spec: Spec) -> list[Condition]:
    """Conditions on the boundary, and those on derivatives in time."""
    return [c for c in spec.conditions if c.on_boundary or c.order]


def admits(condition: Condition, spec: Spec, constants: Iterable[Rational | int | None]) -> bool | None:
    """Whether these constants (None: all constants) satisfy a condition; None if that is not known."""
    ranges, every = ranges_of(spec), True
    for residual in _residuals(condition, spec, constants, ranges):
        met = _is_met(residual, condition, spec, ranges)
        if met is False:
            return False
        every = every and met is True
    return every or None


def _is_met(residual: Expr, condition: Condition, spec: Spec, ranges: Ranges) -> bool | None:
    """Whether the residual is zero where the condition holds. On a curve or part of a side: True if it is zero
    everywhere, False if it is nonzero at a point found on the curve, otherwise None."""
    found = is_zero(residual, ranges)
    somewhere = condition.on_boundary and (condition.surfaces or condition.part or spec.space.inside)
    if somewhere and not found and residual.free_symbols & set(spec.space.coordinates):
        return False if _is_broken(residual, condition, spec) else None
    return found


def _is_broken(residual: Expr, condition: Condition, spec: Spec) -> bool:
    """Whether the residual is nonzero at a point of a curve, for conditions on whole curves; symbols other than
    coordinates and time are set to 1."""
    region = domain_of(spec)
    others = residual.free_symbols - set(region.layout.places)
    if condition.part or residual.has(Field):
        return False
    value = compiled(residual.xreplace(dict.fromkeys(others, S.One)), region.layout)
    points = (p for s in condition.surfaces for p in region.surface(s.expr, POINTS))
    return any(isfinite(value(p)) and abs(value(p)) > BEYOND for p in points)


def _residuals(
    condition: Condition, spec: Spec, constants: Iterable[Rational | int | None], ranges: Ranges
) -> Iterator[Expr]:
    """What should be zero, for each constant and on each side."""
    for value in condition.value:
        flat = state_of(value.xreplace(spec.values), spec).at_constants
        for constant in constants:
            chosen = _any(flat, spec) if constant is None else multiples(flat, constant)
            yield from _on_sides(flat.xreplace(chosen), condition, spec, ranges)


def _any(flat: Expr, spec: Spec) -> dict[Symbol, Symbol]:
    """Symbols that carry the signs of the unknowns they stand for."""
    signs = {u.head.name: assumed(u) for u in spec.unknowns}
    return {s: Dummy(s.name, **signs[s.name]) for s in atoms(flat, Dummy) if s.name in signs}


def _on_sides(expr: Expr, condition: Condition, spec: Spec, ranges: Ranges) -> Iterator[Expr]:
    if not condition.on_boundary or condition.surfaces:
        yield expr
    if not condition.on_boundary:
        return
    for k, coordinate in enumerate(spec.space.coordinates):
        for name, end in zip(side_names(k), ranges[coordinate], strict=True):
            if name in condition.sides:
                yield replaced(expr, {coordinate: end})


def not_admitting(spec: Spec, *values: Rational | int | None) -> tuple[list[Condition], list[Condition]]:
    """The conditions that some of these constants (None: of all) certainly violate, and those that they may violate."""
    truths = [(c, admits(c, spec, values)) for c in further(spec)]
    return [c for c, truth in truths if truth is False], [c for c, truth in truths if truth is None]


def quoted(conditions: list[Condition], spec: Spec) -> str:
    return ", ".join(f"'{spec.source.quote(c.span)}'" for c in conditions)


def hollow(spec: Spec) -> list[Condition]:
    """The conditions on the boundary that say nothing on a side, or at times: u - u = 0, relu(t - ½) u = 0, or x u = 0
    where x = 0. Single points do not matter; a nonlinear condition, as relu(u) = 0, must depend strictly on a value or
    derivative of the unknown."""
    return [c for c in spec.conditions if c.on_boundary and any(_is_hollow(v, c, spec) for v in c.value)]


def _is_hollow(value: Expr, condition: Condition, spec: Spec) -> bool:
    state, ranges = state_of(_without_powers(value.xreplace(spec.values)), spec), ranges_of(spec)
    slopes = [state.slope(a).xreplace(_normals(value, spec)) for a in state.letters]
    if not slopes or not state.is_affine:
        return not any(_is_strict(s, ranges) for s in slopes)
    placed = [list(_on_sides(s, condition, spec, ranges)) for s in slopes]
    return any(all(_may_vanish(e, ranges) for e in there) for there in zip(*placed, strict=True))


def _without_powers(value: Expr) -> Expr:
    """What is zero at the same points: u for u²."""
    powers = (f.as_base_exp() for f in Mul.make_args(value))
    return Mul(*(base if n.is_positive else base**n for base, n in powers))


def _normals(value: Expr, spec: Spec) -> dict[Expr, Expr]:
    return {n: S.One for n in value.atoms(Component) if n.args[0] not in spec.space.coordinates}


def _may_vanish(e: Expr, ranges: Ranges) -> bool:
    """Whether it is zero, or may be on more than single points."""
    kinked = e.has(Field, Activation, Abs, Max, Min, Heaviside, sign)
    return bool(e == 0) or (kinked and not _is_strict(e, ranges))


def _is_strict(e: Expr, ranges: Ranges) -> bool:
    return strictly_positive(e, box_of(ranges)) or strictly_positive(-e, box_of(ranges))


def remembering(spec: Spec) -> list[Condition]:
    """The conditions on the boundary that read an unknown at another time."""
    own = {u.head: tuple(u.arguments) for u in spec.unknowns}
    time = spec.time.symbol if spec.time else None

    def is_past(f: Field) -> bool:
        return any(a != b for a, b in zip(f.arguments, own[f.head], strict=True) if b == time)

    def reads(c: Condition) -> list[Field]:
        return [f for v in c.value for f in v.atoms(Field) if f.head in own]

    return [c for c in spec.conditions if c.on_boundary and any(map(is_past, reads(c)))]


def at_rest(problem: Problem) -> bool:
    """Whether all initial time derivatives are given, and zero."""
    order = problem.equation.order
    rest = [c for c in problem.spec.conditions if c.unknown == problem.equation.unknown and c.order]
    return len(rest) == order - 1 and all(v == 0 for c in rest for v in c.value)
