"""Boxes of weights: all boxes of one operator must overlap."""

from __future__ import annotations

from pdedsl import mistakes
from pdedsl.ir.boxes import boxes_of
from pdedsl.ir.spec import Spec


def require_overlap(spec: Spec) -> None:
    boxes = boxes_of(spec)
    for place, (box, span) in enumerate(boxes):
        for other, first in boxes[:place]:
            if other.operator == box.operator and max(other.low, box.low) > min(other.high, box.high):
                raise mistakes.networks.boxes_apart(box.operator, span, first)
