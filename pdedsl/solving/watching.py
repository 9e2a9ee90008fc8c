"""Watches a method at work: reports its steps, saves its state to disk, and ends it after Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pdedsl.solving.events import Listener, Stepped
from pdedsl.solving.training import Progress, State
from pdedsl.training import checkpoint
from pdedsl.training.checkpoint import Checkpoint

SAVE_SECONDS = 30.0
TOLD = 100  # number of events in a run, approximately


@dataclass
class Watch:
    """`state` is what a run resumes from; with a folder, states are saved to its checkpoints."""

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

        def hear(progress: Progress) -> bool:
            last = progress.step >= steps
            self.stopped = self.interrupted() and not last
            if last or self.stopped or progress.step % max(1, steps // TOLD) == 0:
                self._tell(Stepped(progress.step, steps, {"loss": progress.loss}, progress.seconds))
            if self.stopped or time.monotonic() - self.saved >= self.save_seconds:
                self._save(progress)
            return not self.stopped

        return hear

    def _tell(self, event: Stepped) -> None:
        for listener in self.listeners:
            listener(event)

    def _save(self, progress: Progress) -> None:
        if self.folder is not None:
            checkpoint.save(self.folder, Checkpoint(progress.step, progress.state(), {}, self.spec))
        self.saved = time.monotonic()
