"""Conditional moments of each step of `model()`: given X_k, E[X_{k+1} - X_k] = h b and Cov[X_{k+1} - X_k] = 2hA."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from pdedsl.runtime.sde.characteristic_steps import CharacteristicSteps
from pdedsl.testing.distributions import endpoints_of_model, members_of, second_order_products
from pdedsl.testing.generator import expected_products
from pdedsl.testing.moment_tests import Finding, Moments, standard_error, untested, violated
from pdedsl.testing.path_segments import NormScaledNoise, PathSegment
from pdedsl.testing.paths import ReferenceProcess

STEPS = "time steps of model()"


class RecordingField(nn.Module):
    """A field that records the points at which it was evaluated."""

    def __init__(self, field: object) -> None:
        super().__init__()
        self.field = field
        self.points: list[Tensor] = []

    def forward(self, x: Tensor, t: object) -> Tensor:
        self.points.append(x.detach().clone())
        value: Tensor = self.field(x, t)  # type: ignore[operator]
        return value


@dataclass(frozen=True)
class RecordedPath:
    """The states of a path: before each step, and at its end."""

    states: list[Tensor]


@contextmanager
def record_trajectories(member: nn.Module) -> Iterator[list[RecordedPath]]:
    """Context manager: records the trajectories of a member, in order."""
    trajectories: list[RecordedPath] = []
    undo = []
    for steps in [m for m in member.modules() if isinstance(m, CharacteristicSteps)]:
        field = steps.field
        steps.field = RecordingField(field)

        def keep(steps: nn.Module, _: object, end: Tensor) -> None:
            seen = steps.field
            assert isinstance(seen, RecordingField)
            trajectories.append(RecordedPath([*seen.points, end.detach()]))
            seen.points.clear()

        undo.append((steps, field, steps.register_forward_hook(keep)))
    try:
        yield trajectories
    finally:
        for steps, field, hook in undo:
            hook.remove()
            del steps.field
            steps.field = field


def steps_finding(
    model: nn.Module, process: ReferenceProcess, segments: list[PathSegment], x: Tensor, paths: int
) -> Finding:
    """Compares every Euler step of the first member; skips segments without noise, with relative noise or by Heun."""
    moving = [segment for segment in segments if segment.interval.has_drift or segment.steps > 1]
    with record_trajectories(members_of(model)[0]) as trajectories:
        endpoints_of_model(model, x, paths)
    if len(trajectories) != len(moving):
        return violated(STEPS, f"expected {len(moving)} segments with drift, found {len(trajectories)}")
    moments = Moments(paths=paths)
    for segment, trajectory in zip(moving, trajectories, strict=True):
        if not segment.random or isinstance(segment.noise, NormScaledNoise) or segment.corrected:
            continue
        if len(trajectory.states) != segment.steps + 1:
            return violated(STEPS, f"expected {segment.steps} steps, found {len(trajectory.states) - 1}")
        states = [s.reshape(-1, len(x), s.shape[-1]) for s in trajectory.states]
        rest: Tensor | None = None
        for k, (before, after) in enumerate(pairwise(states)):
            rest = _compare(moments, process, segment, k, before, after, rest)
    return (
        moments.finding(STEPS)
        if moments.count
        else untested(STEPS, "no step has known moments: the endpoint distribution is compared")
    )


def _compare(
    moments: Moments, process: ReferenceProcess, segment: PathSegment, k: int, x: Tensor, y: Tensor, last: Tensor | None
) -> Tensor:
    """Compares moments of the increment of step k minus its drift, at every point over all paths."""
    t = segment.start + process.time_sign * k * segment.h
    at = x.reshape(-1, x.shape[-1]).numpy()
    drift = torch.from_numpy(np.array(process.velocity(segment.interval, at, t))).reshape(x.shape)
    matrix = expected_products(torch.from_numpy(np.array(process.diffusivity(segment.interval, at, t))))
    rest, where = y - x - segment.h * drift, f"at step {k + 1}, t = {t:.4g}"
    moments.add(f"E[X - x]/h {where}", drift.mean(0), (y - x).mean(0) / segment.h, standard_error(rest) / segment.h)
    score = (rest * drift).mean(-1) / segment.h
    moments.add(f"E[(X - x - hb)·b]/h {where}", 0.0, score.mean(0), standard_error(score))
    observed, expected = second_order_products(rest) / segment.h, 2.0 * matrix.reshape(*x.shape[:2], -1)
    moments.add(f"Cov[X - x]/h {where}", expected.mean(0), observed.mean(0), standard_error(observed - expected))
    if last is not None:
        both = rest * last / segment.h
        moments.add(f"covariance of the noise of steps {k} and {k + 1}, by h", 0.0, both.mean(0), standard_error(both))
    return rest
