"""Search for a minimal counterexample with hypothesis."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, Verbosity, find, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample

MAX_SHRINKS = 1000  # shrinking steps


def search(
    breaks: Callable[[Any], bool],
    strategy: st.SearchStrategy[Any],
    examples: int,
    seed: int,
    attempts: int = MAX_SHRINKS,
) -> Any | None:
    """The smallest case for which `breaks` holds, or None if none was found.

    Shrinking stops after `attempts` steps, or when a non-deterministic operator gives contradictory results.
    """
    failures: list[Any] = []
    left = attempts

    def record(case: Any) -> bool:
        nonlocal left
        left -= bool(failures)
        violated = left > 0 and breaks(case)
        if violated:
            failures.append(case)
        return violated

    options = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
    )
    try:
        with torch.no_grad():
            return find(strategy, record, settings=options, random=random.Random(seed))
    except (NoSuchExample, Flaky):
        return failures[-1] if failures else None
