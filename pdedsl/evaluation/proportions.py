"""Binomial proportion k/n with its Clopper-Pearson confidence interval (Biometrika 26, 1934)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Proportion:
    """k of n independent, identically distributed samples; [low, high] is the 95 % Clopper-Pearson interval."""

    k: int
    n: int

    @classmethod
    def from_outcomes(cls, values: Iterable[bool]) -> Proportion:
        outcomes = list(values)
        return cls(sum(outcomes), len(outcomes))

    @property
    def value(self) -> float:
        return self.k / self.n if self.n else float("nan")

    @cached_property
    def low(self) -> float:
        """The α/2-quantile of Beta(k, n − k + 1); 0 for k = 0."""
        return 0.0 if self.k == 0 else _quantile(self.k, self.n - self.k + 1, (1.0 - CONFIDENCE) / 2.0)

    @cached_property
    def high(self) -> float:
        """The (1 − α/2)-quantile of Beta(k + 1, n − k); 1 for k = n."""
        return 1.0 if self.k == self.n else _quantile(self.k + 1, self.n - self.k, (1.0 + CONFIDENCE) / 2.0)

    def __str__(self) -> str:
        """`81.2 % [79.9, 82.5]`."""
        if not self.n:
            return "no samples"
        return f"{100 * self.value:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def _quantile(a: float, b: float, p: float) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(a, b, p))
