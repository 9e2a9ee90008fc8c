"""Values of a solution that is determined only up to constants, measured relative to its means at fixed places."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.ir.problem import StrongForm
from pdedsl.solvers.collocation_points import Points

ANCHORS, SEED = 16, 104729


def anchored(solution: Callable[[Tensor], Tensor], statement: StrongForm, points: Tensor) -> Tensor:
    """Values at points (n, k); from a component that is known only up to a constant, its mean over the anchors at the
    same time is subtracted."""
    values = solution(points)
    if not statement.floating:
        return values
    space = len(statement.domain.space)
    anchors = Points(statement.domain, points.device, points.dtype).inside(ANCHORS, SEED)[:, :space]
    there = torch.cat(
        [anchors.repeat(len(points), 1), points[:, space:].repeat_interleave(ANCHORS, 0)], 1
    )  # each anchor at the time of each point
    means = solution(there).reshape(len(points), ANCHORS, -1).mean(1)
    floating = [c in statement.floating for c in range(len(statement.components))]
    return values - means * torch.tensor(floating, device=values.device)
