"""Progress of a solver: step events, the metrics log, checkpoints and interruption by Ctrl-C."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from pdedsl.io import path_in_errors, write_text_atomically
from pdedsl.runs import checkpoint
from pdedsl.runs.checkpoint import Checkpoint
from pdedsl.runs.metrics import read_metrics
from pdedsl.solvers.pinn.trainer import Progress, State

# ---- Events and metrics


@dataclass(frozen=True)
class StepEvent:
    """Step `step` of `of` is done; `metrics` are reported by the method, such as its loss."""

    step: int
    of: int
    metrics: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0


Listener = Callable[[StepEvent], None]
METRICS = "metrics.jsonl"


class SolveInterrupted(Exception):
    """Interrupted by Ctrl-C; the state is saved."""


class MetricsLog:
    """metrics.jsonl: a line for each reported step; a resumed run keeps the lines up to its checkpoint."""

    def __init__(self, path: Path, resumed: int = 0) -> None:
        self.path = path
        rows = [row for row in read_metrics(path) if row["step"] <= resumed] if path.exists() else []
        write_text_atomically(path, "".join(map(_line, rows)))

    def __call__(self, event: StepEvent) -> None:
        metrics = {name: value if isfinite(value) else None for name, value in event.metrics.items()}
        row = {"kind": "step", "step": event.step, "of": event.of, **metrics, "seconds": round(event.seconds, 3)}
        with path_in_errors(self.path), self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(_line(row))


def _line(row: Mapping[str, object]) -> str:
    return json.dumps(row, allow_nan=False) + "\n"


# ---- Checkpoints and interruption


SAVE_SECONDS = 30.0
MAX_EVENTS = 100  # per run, approximately


@dataclass
class Watch:
    """Listeners, checkpoints and interruption of a run; `state` is the checkpoint to resume from."""

    listeners: tuple[Listener, ...] = ()
    folder: Path | None = None
    spec: str = ""
    interrupted: Callable[[], bool] = lambda: False
    state: State | None = None
    save_seconds: float = SAVE_SECONDS
    stopped: bool = False
    saved: float = field(default_factory=time.monotonic)

    def of(self, steps: int) -> Callable[[Progress], bool]:
        """A listener for a run of `steps` steps; it returns False to end the run."""

        def listen(progress: Progress) -> bool:
            last = progress.step >= steps
            self.stopped = self.interrupted() and not last
            if last or self.stopped or progress.step % max(1, steps // MAX_EVENTS) == 0:
                self._notify(StepEvent(progress.step, steps, {"loss": progress.loss}, progress.seconds))
            if self.stopped or time.monotonic() - self.saved >= self.save_seconds:
                self._save(progress)
            return not self.stopped

        return listen

    def _notify(self, event: StepEvent) -> None:
        for listener in self.listeners:
            listener(event)

    def _save(self, progress: Progress) -> None:
        if self.folder is not None:
            checkpoint.save(self.folder, Checkpoint(progress.step, progress.state(), {}, self.spec))
        self.saved = time.monotonic()
