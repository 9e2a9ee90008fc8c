"""Small physical problems as strong forms, and the error of a solution."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.api import parse
from pdedsl.compiler import to_analysis
from pdedsl.ir.problem import StrongForm
from pdedsl.lowering.rules import lower
from pdedsl.solvers.collocation_points import PointSampler

LINE = "pde Line\nspace x in [0, 1]{sides}\ntime t in [0, 1]\nunknown u(x, t) : scalar\n"
SQUARE = "pde Square\nspace (x, y) in [-1, 1]^2\nunknown u(x, y) : scalar\n"


def stated(text: str) -> StrongForm:
    found = lower(to_analysis(parse(text)))
    assert isinstance(found, StrongForm)
    return found


def on_line(text: str, periodic: bool = False) -> StrongForm:
    return stated(LINE.format(sides=" periodic" * periodic) + text)


def on_square(text: str) -> StrongForm:
    return stated(SQUARE + text)


def error_of(solution: Callable[[Tensor], Tensor], statement: StrongForm, *exact: Callable[..., Tensor]) -> float:
    """Relative, in the mean square over points of the domain."""
    points = PointSampler(statement.domain).inside(1000, 99)
    expected = torch.stack([e(*points.unbind(-1)) for e in exact], -1)
    return float((solution(points).detach() - expected).norm() / expected.norm())
