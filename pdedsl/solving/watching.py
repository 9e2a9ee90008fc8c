"""Who watches a method at work: tells its steps, keeps its state on disk, and ends it when Ctrl-C came."""

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
TOLD = 100  # events of a run, about


@dataclass
class Watch:
    """`state` is what a run goes on from; with a folder, states go to its checkpoints."""

    listeners: tuple[Listener, ...] = ()
    folder: Path | None = None
    spec: str = ""
    interrupted: Callable[[], bool] = lambda: False
    state: State | None = None
    save_seconds: float = SAVE_SECONDS
    stopped: bool = False
    saved: float = field(default_factory=time.monotonic)

    def of(self, steps: int) -> Callable[[Progress], bool]:
        """A listener for a run of so many steps: false ends it."""

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
