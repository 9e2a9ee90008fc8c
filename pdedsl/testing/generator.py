"""Test of the generator: one step of the operator from x over a time h has E[X - x]/h = b and Cov[X]/h = 2A."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from pdedsl.testing.distributions import (
    MAX_PAIRWISE_DIMENSION,
    RANDOM_DIRECTIONS,
    compare_moments,
    endpoints_of_operator,
    expected_endpoints,
    random_directions,
    second_order_products,
)
from pdedsl.testing.moment_tests import Finding, Moments, standard_error
from pdedsl.testing.operators import EvolutionUnderTest
from pdedsl.testing.path_segments import PathSegment
from pdedsl.testing.paths import ReferenceProcess

GENERATOR = "generator of operator()"
STEP_POSITIONS = (0.05, 0.5, 0.95)  # relative start times of the tested steps


def generator_finding(
    flow: EvolutionUnderTest, process: ReferenceProcess, segments: list[PathSegment], x: Tensor
) -> Finding:
    """Compares steps at several times of every interval with drift and diffusion matrix at the same time."""
    moments = Moments()
    for segment in segments:
        for position in STEP_POSITIONS:
            _compare_step(
                moments,
                flow,
                process,
                segment,
                segment.start + process.time_sign * position * (segment.steps - 1) * segment.h,
                x,
            )
    return moments.finding(GENERATOR)


def _compare_step(
    moments: Moments, flow: EvolutionUnderTest, process: ReferenceProcess, segment: PathSegment, t: float, x: Tensor
) -> None:
    ends = endpoints_of_operator(flow, x, *operator_interval(flow, process, segment, t))
    moments.paths = max(moments.paths, len(ends))
    where = f"at t = {t:.4g}, h = {segment.h:.4g}"
    if not segment.random:
        expected = process.simulate(x.numpy(), [single_step(segment, t)], np.random.default_rng(0)).x
        moments.add(f"X of a step {where}", torch.from_numpy(expected.copy()), ends[0], 0.0)
        return
    if segment.corrected:
        compare_moments(
            moments, f"a step {where}", expected_endpoints(process, x, [single_step(segment, t)], len(ends), 0), ends
        )
        return
    drift = torch.from_numpy(np.array(process.velocity(segment.interval, x.numpy(), t)))
    matrix = torch.from_numpy(np.array(process.diffusivity(segment.interval, x.numpy(), t)))
    away = ends - x
    moments.add(f"E[X - x]/h {where}", drift, away.mean(0) / segment.h, standard_error(away) / segment.h)
    spread = second_order_products(away - segment.h * drift) / segment.h
    moments.add(f"Cov[X]/h {where}", 2.0 * expected_products(matrix), spread.mean(0), standard_error(spread))


def operator_interval(
    flow: EvolutionUnderTest, process: ReferenceProcess, segment: PathSegment, t: float
) -> tuple[float, float]:
    """A step from PDE time t to t ± h, as an interval of the operator's time, counted from the data."""
    end = t if process.time_sign < 0 else flow.start + flow.end - t
    return end - segment.h, end


def single_step(segment: PathSegment, t: float) -> PathSegment:
    return replace(segment, start=t, steps=1)


def expected_products(matrix: Tensor) -> Tensor:
    """The expected `products` of a variable of mean zero with this covariance, a diagonal (n, d) or full (n, d, d)."""
    full = matrix.dim() == 3
    size = matrix.shape[-1]
    if size <= MAX_PAIRWISE_DIMENSION:
        i, j = torch.triu_indices(size, size)
        return (matrix if full else torch.diag_embed(matrix))[..., i, j]
    turned = random_directions(size)
    if full:
        along = torch.einsum("ik,nij,jk->nk", turned, matrix, turned)
        return torch.cat([matrix.diagonal(dim1=-2, dim2=-1), matrix.diagonal(1, -2, -1), along], -1)
    assert turned.shape[-1] == RANDOM_DIRECTIONS
    return torch.cat([matrix, torch.zeros_like(matrix[..., 1:]), matrix @ turned.square()], -1)
