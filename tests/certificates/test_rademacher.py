"""The infimum of Theorem 3.4 against a fine search, and its limits."""

from __future__ import annotations

from math import log, sqrt

import pytest

from pdedsl.certificates.rademacher import rademacher_bound


@pytest.mark.parametrize("weight", [0.01, 0.3, 1.0, 40.0])
@pytest.mark.parametrize("dimension", [1, 2, 30])
@pytest.mark.parametrize("samples", [10, 1000, 10**6])
def test_against_a_search(weight: float, dimension: int, samples: int) -> None:
    """ε from 3WR down to 3WR·10⁻¹², in steps of a thousandth of its logarithm."""
    scale = 3.0 * weight * 2.0
    found = [
        sqrt(2.0 * dimension * log(scale / eps) / samples) + eps
        for eps in (scale * 10.0 ** (-k / 1000.0) for k in range(12_001))
    ]
    assert rademacher_bound(weight, 2.0, dimension, samples) == pytest.approx(min(1.0, *found), rel=1e-3)


def test_limits() -> None:
    assert rademacher_bound(0.0, 1.0, 5, 10) == 0.0
    assert rademacher_bound(100.0, 1.0, 1000, 10) == 1.0
    bounds = [rademacher_bound(1.0, 1.0, 2, n) for n in (10**2, 10**4, 10**6, 10**8)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 1e-3
