"""Clopper-Pearson intervals: coverage at least 95 % by exact enumeration, and agreement with scipy."""

from __future__ import annotations

import pytest
from scipy.stats import binom, binomtest

from pdedsl.evaluation.report import Proportion


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("p", [0.0, 0.01, 0.3, 0.5, 0.97, 1.0])
def test_coverage(n: int, p: float) -> None:
    covered = sum(binom.pmf(k, n, p) for k in range(n + 1) if Proportion(k, n).low <= p <= Proportion(k, n).high)
    assert covered >= 0.95


@pytest.mark.parametrize(("k", "n"), [(0, 10), (10, 10), (3, 10), (812, 1000)])
def test_against_scipy(k: int, n: int) -> None:
    low, high = binomtest(k, n).proportion_ci(0.95, "exact")
    assert (Proportion(k, n).low, Proportion(k, n).high) == pytest.approx((low, high), abs=1e-12)


def test_text() -> None:
    assert str(Proportion(812, 1000)) == "81.2 % [78.6, 83.6]"
    assert str(Proportion.from_outcomes([])) == "no samples"
    assert Proportion.from_outcomes([True, False, True]) == Proportion(2, 3)
