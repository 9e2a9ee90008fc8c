"""CPU time allowed to a solve."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from math import inf


@dataclass(frozen=True)
class CpuBudget:
    """`seconds` of CPU time of this process, counted from the creation of the budget."""

    seconds: float = inf
    start: float = field(default_factory=time.process_time)

    @property
    def spent(self) -> float:
        return time.process_time() - self.start

    @property
    def remaining(self) -> float:
        return self.seconds - self.spent

    @property
    def is_exhausted(self) -> bool:
        return self.remaining <= 0
