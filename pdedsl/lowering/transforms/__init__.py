"""Transforms of boundary value problems by theorems; one module for each family, with its citation."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pdedsl.ir.problem import StrongForm
from pdedsl.ir.transforms import Transform
from pdedsl.lowering.transforms.exponential import exponential_scaling
from pdedsl.lowering.transforms.hopf_cole import hopf_cole
from pdedsl.lowering.transforms.kirchhoff import kirchhoff
from pdedsl.lowering.transforms.radial import radial

TRANSFORMS: tuple[Callable[[StrongForm], Transform | None], ...] = (hopf_cole, kirchhoff, radial, exponential_scaling)
"""Each gives the transform of a problem, or None if its hypotheses do not hold."""


def transforms_of(problem: StrongForm) -> Iterator[Transform]:
    """The transforms that apply to a problem."""
    for transform in TRANSFORMS:
        result = transform(problem)
        if result is not None:
            yield result
