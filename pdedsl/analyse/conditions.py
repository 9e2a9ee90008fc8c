"""What the conditions besides the first datum ask of the zero function, and of constants."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr

from pdedsl.analyse.samples import Ranges, ranges_of
from pdedsl.analyse.signs import is_zero
from pdedsl.analyse.states import multiples, state_of
from pdedsl.ir.spec import Condition, Spec, side_names
from pdedsl.symbolic.symbols import Partial


def further(spec: Spec) -> list[Condition]:
    """Conditions on the boundary, and those on derivatives in time."""
    return [c for c in spec.conditions if c.on_boundary or c.order]


def admits(condition: Condition, spec: Spec, constants: tuple[int, ...]) -> bool | None:
    """Whether functions with these constant values meet a condition; three truths."""
    ranges = ranges_of(spec)
    found = [is_zero(e, ranges) for e in _residuals(condition, spec, constants, ranges)]
    if False in found:
        return False
    return None if None in found else True


def _residuals(condition: Condition, spec: Spec, constants: tuple[int, ...], ranges: Ranges) -> Iterator[Expr]:
    """What should be zero, for each constant and on each side."""
    for value in condition.value:
        flat = state_of(value.xreplace(spec.values), spec).at_constants
        for constant in constants:
            yield from _on_sides(flat.xreplace(multiples(flat, constant)), condition, spec, ranges)


def _on_sides(expr: Expr, condition: Condition, spec: Spec, ranges: Ranges) -> Iterator[Expr]:
    if not condition.on_boundary:
        yield expr
        return
    for k, coordinate in enumerate(spec.space.coordinates):
        for name, end in zip(side_names(k), ranges[coordinate], strict=True):
            if name in condition.sides:
                yield expr.xreplace({coordinate: end})


def holds_values(condition: Condition) -> bool:
    """Dirichlet: no derivative stands in the condition."""
    return not any(v.has(Partial) for v in condition.value)
