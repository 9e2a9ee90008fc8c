"""k of n samples, and what they say about the distribution that they were drawn from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Share:
    """k of n. [low, high] contains the true probability with confidence at least 95 % (Clopper, Pearson 1934), for
    samples that are independent and identically distributed."""

    hits: int
    of: int

    @classmethod
    def among(cls, values: Iterable[bool]) -> Share:
        seen = list(values)
        return cls(sum(seen), len(seen))

    @property
    def value(self) -> float:
        return self.hits / self.of if self.of else float("nan")

    @cached_property
    def low(self) -> float:
        """The α/2-quantile of Beta(k, n − k + 1); 0 for k = 0."""
        return 0.0 if self.hits == 0 else _quantile(self.hits, self.of - self.hits + 1, (1.0 - CONFIDENCE) / 2.0)

    @cached_property
    def high(self) -> float:
        """The (1 − α/2)-quantile of Beta(k + 1, n − k); 1 for k = n."""
        return 1.0 if self.hits == self.of else _quantile(self.hits + 1, self.of - self.hits, (1.0 + CONFIDENCE) / 2.0)

    def __str__(self) -> str:
        """`81.2 % [79.9, 82.5]`."""
        if not self.of:
            return "no samples"
        return f"{100 * self.value:.1f} % [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def _quantile(a: float, b: float, p: float) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(a, b, p))
