"""The generator check: one step of the operator from x over a time h has E[X - x]/h = b and Cov[X]/h = 2A exactly."""

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
from pdedsl.testing.moments import Finding, Moments, standard_error
from pdedsl.testing.operators import EvolutionUnderTest
from pdedsl.testing.paths import ReferenceProcess
from pdedsl.testing.step_runs import PathSegment

GENERATOR = "generator of operator()"
STEP_POSITIONS = (0.05, 0.5, 0.95)  # of the range of times at which a step may begin


def generator_finding(
    flow: EvolutionUnderTest, process: ReferenceProcess, legs: list[PathSegment], x: Tensor
) -> Finding:
    """Compares steps at several times of every piece with drift and matrix of the analysis at the same time."""
    moments = Moments()
    for leg in legs:
        for share in STEP_POSITIONS:
            _compare_step(
                moments, flow, process, leg, leg.start + process.time_sign * share * (leg.steps - 1) * leg.h, x
            )
    return moments.finding(GENERATOR)


def _compare_step(
    moments: Moments, flow: EvolutionUnderTest, process: ReferenceProcess, leg: PathSegment, t: float, x: Tensor
) -> None:
    ends = endpoints_of_operator(flow, x, *operator_interval(flow, process, leg, t))
    moments.paths = max(moments.paths, len(ends))
    where = f"at t = {t:.4g}, h = {leg.h:.4g}"
    if not leg.random:
        expected = process.simulate(x.numpy(), [single_step(leg, t)], np.random.default_rng(0)).x
        moments.add(f"X of a step {where}", torch.from_numpy(expected.copy()), ends[0], 0.0)
        return
    if leg.corrected:
        compare_moments(
            moments, f"a step {where}", expected_endpoints(process, x, [single_step(leg, t)], len(ends), 0), ends
        )
        return
    drift = torch.from_numpy(np.array(process.velocity(leg.interval, x.numpy(), t)))
    matrix = torch.from_numpy(np.array(process.diffusivity(leg.interval, x.numpy(), t)))
    away = ends - x
    moments.add(f"E[X - x]/h {where}", drift, away.mean(0) / leg.h, standard_error(away) / leg.h)
    spread = second_order_products(away - leg.h * drift) / leg.h
    moments.add(f"Cov[X]/h {where}", 2.0 * expected_products(matrix), spread.mean(0), standard_error(spread))


def operator_interval(
    flow: EvolutionUnderTest, process: ReferenceProcess, leg: PathSegment, t: float
) -> tuple[float, float]:
    """A step from the time t of the equation to t ± h, as an interval of the operator's time, counted from the data."""
    end = t if process.time_sign < 0 else flow.start + flow.end - t
    return end - leg.h, end


def single_step(leg: PathSegment, t: float) -> PathSegment:
    return replace(leg, start=t, steps=1)


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
