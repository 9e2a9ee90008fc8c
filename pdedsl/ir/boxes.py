"""`constrain K in [a, b]`: the box in which training keeps the weights of an operator."""

from __future__ import annotations

from sympy import Expr, Max, Min

from pdedsl.diagnostics import fail
from pdedsl.ir.spec import Line, Spec

Bounds = tuple[Expr, Expr]


def box_lines(spec: Spec) -> tuple[Line, ...]:
    """Every box, in the order of the text."""
    train = spec.block("train")
    return train.all("constrain") if train else ()


def box_of(name: str, spec: Spec) -> Bounds | None:
    """The box of an operator: what is in all that are given for it."""
    box: Bounds | None = None
    for line in box_lines(spec):
        if line.value != name or line.bounds is None:
            continue
        low, high = (Max(box[0], line.bounds[0]), Min(box[1], line.bounds[1])) if box else line.bounds
        if low > high:
            first = next(other for other in box_lines(spec) if other.value == name)
            message = f"no weight of '{name}' is in all of its boxes"
            raise fail("E610", message, line.span, "give boxes that overlap", ((first.span, "another of them"),))
        box = low, high
    return box
