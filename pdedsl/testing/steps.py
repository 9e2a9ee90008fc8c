"""The generator check on `model()`, step by step: given X_k, E[X_{k+1} - X_k] = h b and Cov[X_{k+1} - X_k] = 2hA."""

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
from pdedsl.testing.moments import Finding, Moments, Outcome, standard_error, untested
from pdedsl.testing.paths import ReferenceProcess
from pdedsl.testing.step_runs import PathSegment, ScaledNoise

STEPS = "steps of model()"


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
class Trajectory:
    """The states of a walk: before each step, and at its end."""

    states: list[Tensor]


@contextmanager
def record_trajectories(member: nn.Module) -> Iterator[list[Trajectory]]:
    """Within, records the trails of a member's walks, in order."""
    trails: list[Trajectory] = []
    undo = []
    for march in [m for m in member.modules() if isinstance(m, CharacteristicSteps)]:
        field = march.field
        march.field = RecordingField(field)

        def keep(march: nn.Module, _: object, end: Tensor) -> None:
            seen = march.field
            assert isinstance(seen, RecordingField)
            trails.append(Trajectory([*seen.points, end.detach()]))
            seen.points.clear()

        undo.append((march, field, march.register_forward_hook(keep)))
    try:
        yield trails
    finally:
        for march, field, hook in undo:
            hook.remove()
            del march.field
            march.field = field


def steps_finding(
    model: nn.Module, process: ReferenceProcess, legs: list[PathSegment], x: Tensor, paths: int
) -> Finding:
    """Compares every Euler step of the first member; skips walks without noise, with relative noise or by Heun."""
    walks = [leg for leg in legs if leg.interval.has_drift or leg.steps > 1]
    with record_trajectories(members_of(model)[0]) as trails:
        endpoints_of_model(model, x, paths)
    if len(trails) != len(walks):
        return Finding(STEPS, Outcome.BROKEN, f"expected {len(walks)} walks along a field, found {len(trails)}")
    moments = Moments(paths=paths)
    for leg, trail in zip(walks, trails, strict=True):
        if not leg.random or isinstance(leg.noise, ScaledNoise) or leg.corrected:
            continue
        if len(trail.states) != leg.steps + 1:
            return Finding(STEPS, Outcome.BROKEN, f"expected {leg.steps} steps, found {len(trail.states) - 1}")
        states = [s.reshape(-1, len(x), s.shape[-1]) for s in trail.states]
        rest: Tensor | None = None
        for k, (before, after) in enumerate(pairwise(states)):
            rest = _compare(moments, process, leg, k, before, after, rest)
    return (
        moments.finding(STEPS)
        if moments.count
        else untested(STEPS, "no step has known moments: they are compared in law")
    )


def _compare(
    moments: Moments, process: ReferenceProcess, leg: PathSegment, k: int, x: Tensor, y: Tensor, last: Tensor | None
) -> Tensor:
    """Compares moments of step k after its drift is subtracted, at every point over all paths."""
    t = leg.start + process.time_sign * k * leg.h
    at = x.reshape(-1, x.shape[-1]).numpy()
    drift = torch.from_numpy(np.array(process.velocity(leg.interval, at, t))).reshape(x.shape)
    matrix = expected_products(torch.from_numpy(np.array(process.diffusivity(leg.interval, at, t))))
    rest, where = y - x - leg.h * drift, f"at step {k + 1}, t = {t:.4g}"
    moments.add(f"E[X - x]/h {where}", drift.mean(0), (y - x).mean(0) / leg.h, standard_error(rest) / leg.h)
    score = (rest * drift).mean(-1) / leg.h
    moments.add(f"E[(X - x - hb)·b]/h {where}", 0.0, score.mean(0), standard_error(score))
    found, expected = second_order_products(rest) / leg.h, 2.0 * matrix.reshape(*x.shape[:2], -1)
    moments.add(f"Cov[X - x]/h {where}", expected.mean(0), found.mean(0), standard_error(found - expected))
    if last is not None:
        both = rest * last / leg.h
        moments.add(f"E of the noise of steps {k} and {k + 1}, by h", 0.0, both.mean(0), standard_error(both))
    return rest
