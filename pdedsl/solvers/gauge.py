"""Gauge: components that are defined up to a constant, such as a pressure, are shifted to zero mean at fixed points."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.ir.problem import StrongForm
from pdedsl.solvers.collocation_points import PointSampler

GAUGE_POINTS, GAUGE_SEED = 16, 104729  # fixed points at which the mean is taken


def fix_gauge(solution: Callable[[Tensor], Tensor], statement: StrongForm, points: Tensor) -> Tensor:
    """Values at points (n, k); from a component that is known only up to a constant, its mean over the anchors at the
    same time is subtracted."""
    values = solution(points)
    if not statement.defined_up_to_constant:
        return values
    space = len(statement.domain.space)
    gauge_points = PointSampler(statement.domain, points.device, points.dtype).inside(GAUGE_POINTS, GAUGE_SEED)[
        :, :space
    ]
    at_gauge_points = torch.cat(
        [gauge_points.repeat(len(points), 1), points[:, space:].repeat_interleave(GAUGE_POINTS, 0)], 1
    )  # each anchor at the time of each point
    means = solution(at_gauge_points).reshape(len(points), GAUGE_POINTS, -1).mean(1)
    is_free = [c in statement.defined_up_to_constant for c in range(len(statement.components))]
    return values - means * torch.tensor(is_free, device=values.device)
