"""Test of the Feynman-Kac weights: u = E[e^{∫c} g(X_T) + ∫ e^{∫c} f] against reference paths.

The data g = 0 test the source, g = 1 the weights, and a cosine tests that each weight belongs to its path.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from pdedsl.testing.distributions import simulate_paths
from pdedsl.testing.generator import STEP_POSITIONS, operator_interval, single_step
from pdedsl.testing.moment_tests import Finding, Moments, standard_error
from pdedsl.testing.operators import EvolutionUnderTest
from pdedsl.testing.path_segments import PathSegment
from pdedsl.testing.paths import PathEndpoints, ReferenceProcess

WEIGHTS = "weights of operator()"


def _wave(y: Tensor) -> Tensor:
    return torch.cos(y.sum(-1) + 0.5)


DATA: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("0", lambda y: torch.zeros_like(y[..., 0])),
    ("1", lambda y: torch.ones_like(y[..., 0])),
    ("cos(Σy + ½)", _wave),
)


def weights_finding(
    flow: EvolutionUnderTest, process: ReferenceProcess, segments: list[PathSegment], x: Tensor, paths: int, seed: int
) -> Finding:
    """Compares u over the time interval, and over single steps at several times of every weighted interval."""
    moments = Moments(paths=paths)
    _compare(
        moments,
        "over the time interval",
        simulate_paths(process, x, segments, paths, seed),
        flow,
        x,
        flow.start,
        flow.end,
    )
    for segment in segments:
        for position in STEP_POSITIONS if segment.interval.has_weight else ():
            t = segment.start + process.time_sign * position * (segment.steps - 1) * segment.h
            step = simulate_paths(process, x, [single_step(segment, t)], paths, seed)
            where = f"of a step at t = {t:.4g}, h = {segment.h:.4g}"
            _compare(moments, where, step, flow, x, *operator_interval(flow, process, segment, t))
    return moments.finding(WEIGHTS)


def _compare(
    moments: Moments, where: str, endpoints: PathEndpoints, flow: EvolutionUnderTest, x: Tensor, a: float, b: float
) -> None:
    ends = torch.from_numpy(endpoints.x).reshape(-1, *x.shape)
    for name, data in DATA:
        values_at_ends = data(ends).reshape(-1).numpy()
        values = torch.from_numpy(endpoints.value(values_at_ends)).reshape(len(ends), len(x))
        with torch.no_grad():
            ours = flow.estimate(data, x, a, b)
        error = torch.hypot(standard_error(values), ours.standard_error)
        moments.add(f"u {where} for the data {name}", values.mean(0), ours.mean, error)
