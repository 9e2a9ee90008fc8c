"""`constrain K in [a, b]`: the box in which training keeps the weights of an operator."""

from __future__ import annotations

from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Spec
from pdedsl.words.params import Real
from pdedsl.words.training import Box

Bounds = tuple[Real, Real]


def boxes_of(spec: Spec) -> list[tuple[Box, Span]]:
    """Every box with its place in the text, in the order of the text."""
    train = spec.train
    return list(zip(train.constrain, train.places["constrain"], strict=True)) if train and train.constrain else []


def place_of_box(name: str, spec: Spec) -> Span:
    """Where the first box of an operator stands."""
    return next(span for box, span in boxes_of(spec) if box.operator == name)


def box_of(name: str, spec: Spec) -> Bounds | None:
    """The intersection of all boxes given for an operator, empty if low > high; None if there are none."""
    own = [box for box, _ in boxes_of(spec) if box.operator == name]
    return (max(box.low for box in own), min(box.high for box in own)) if own else None
