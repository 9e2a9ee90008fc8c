"""`constrain K in [a, b]`: the box in which training keeps the weights of an operator."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.diagnostics import Span
from pdedsl.ir.spec import Spec
from pdedsl.words.params import Real
from pdedsl.words.training import Box

Bounds = tuple[Real, Real]


def boxes_of(spec: Spec) -> list[tuple[Box, Span]]:
    """Every box and its place, in the order of the text."""
    train = spec.train
    return list(zip(train.constrain, train.places["constrain"], strict=True)) if train and train.constrain else []


def box_of(name: str, spec: Spec) -> Bounds | None:
    """The box of an operator: what is in all that are given for it."""
    box: Bounds | None = None
    own = [(found, span) for found, span in boxes_of(spec) if found.operator == name]
    for found, span in own:
        low, high = (max(box[0], found.low), min(box[1], found.high)) if box else (found.low, found.high)
        if low > high:
            raise mistakes.networks.boxes_apart(name, span, own[0][1])
        box = low, high
    return box
