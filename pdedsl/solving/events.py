"""What happens while an equation is solved, and who listens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from pdedsl.files import replace_text, writing
from pdedsl.training.log import read_metrics


@dataclass(frozen=True)
class Stepped:
    """Step `step` of `of` is done; `figures` are numbers that the method reports, such as its loss."""

    step: int
    of: int
    figures: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0


Listener = Callable[[Stepped], None]
METRICS = "metrics.jsonl"


class Stopped(Exception):
    """Ctrl-C was pressed, and what was done so far is on disk."""


class Metrics:
    """METRICS: a line for every reported step; a resumed run keeps the lines up to the step from which it resumes."""

    def __init__(self, path: Path, resumed: int = 0) -> None:
        self.path = path
        rows = [row for row in read_metrics(path) if row["step"] <= resumed] if path.exists() else []
        replace_text(path, "".join(map(_line, rows)))

    def __call__(self, event: Stepped) -> None:
        figures = {name: value if isfinite(value) else None for name, value in event.figures.items()}
        row = {"kind": "step", "step": event.step, "of": event.of, **figures, "seconds": round(event.seconds, 3)}
        with writing(self.path), self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(_line(row))


def _line(row: Mapping[str, object]) -> str:
    return json.dumps(row, allow_nan=False) + "\n"
