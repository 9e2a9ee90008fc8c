"""Progress of a solver: step events, checkpoints and interruption by Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pdedsl.runs.checkpoint import Checkpoint, State, save
from pdedsl.runs.events import Listener, Stepped
from pdedsl.runs.folder import SAVE_SECONDS
from pdedsl.solvers.pinn.trainer import Progress

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
                for listener in self.listeners:
                    listener(Stepped(progress.step, steps, loss=progress.loss, seconds=progress.seconds))
            if self.stopped or time.monotonic() - self.saved >= self.save_seconds:
                if self.folder is not None:
                    save(self.folder, Checkpoint(progress.step, *progress.state(), self.spec))
                self.saved = time.monotonic()
            return not self.stopped

        return listen
