"""The interval of a share covers the probability at least as often as it says, by exact enumeration."""

from __future__ import annotations

import pytest
from scipy.stats import binom, binomtest

from pdedsl.evaluation.proportions import Share


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("p", [0.0, 0.01, 0.3, 0.5, 0.97, 1.0])
def test_coverage(n: int, p: float) -> None:
    covered = sum(binom.pmf(k, n, p) for k in range(n + 1) if Share(k, n).low <= p <= Share(k, n).high)
    assert covered >= 0.95


@pytest.mark.parametrize(("hits", "of"), [(0, 10), (10, 10), (3, 10), (812, 1000)])
def test_against_scipy(hits: int, of: int) -> None:
    low, high = binomtest(hits, of).proportion_ci(0.95, "exact")
    assert (Share(hits, of).low, Share(hits, of).high) == pytest.approx((low, high), abs=1e-12)


def test_words() -> None:
    assert str(Share(812, 1000)) == "81.2 % [78.6, 83.6]"
    assert str(Share.among([])) == "no samples"
    assert Share.among([True, False, True]) == Share(2, 3)
