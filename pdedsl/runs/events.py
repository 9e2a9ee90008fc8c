"""Training events, listeners, and their text output."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pdedsl.diagnostics.escaping import line


class Outcome(StrEnum):
    """How a run ended; a run on disk may be unfinished."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    DIVERGED = "diverged"
    UNFINISHED = "unfinished"


@dataclass(frozen=True)
class Started:
    """A run starts, or resumes after step `resumed`; `phases` are names with numbers of steps.

    `adaptive`: there are adaptive solvers, whose function evaluations are reported.
    """

    name: str
    title: str
    hash: str
    folder: Path
    phases: tuple[tuple[str, int], ...]
    steps: int
    parameters: int
    train: int
    validation: int
    test: int
    batch: int
    device: str
    processes: int = 1
    resumed: int = 0
    notes: tuple[str, ...] = ()
    adaptive: bool = False
    attacked: bool = False  # adversarial training: the training metrics are those of adversarial examples


@dataclass(frozen=True)
class Stepped:
    """Step `step` of `of` is done; terms, loss and accuracy are means over the steps since the previous such event.

    `seconds` is the time spent on training so far.
    """

    step: int
    of: int
    phase: str
    epoch: float
    epochs: float
    terms: dict[str, float]
    loss: float
    accuracy: float | None
    lr: float
    seconds: float


class HeldOutSplit(StrEnum):
    """Held-out split: validation or test."""

    VALIDATION = "validation"
    TEST = "test"


@dataclass(frozen=True)
class Assessed:
    """Metrics on a held-out split after step `step`, as computed by `assess`."""

    step: int
    epoch: float
    phase: str
    split: HeldOutSplit
    loss: float
    accuracy: float | None
    evaluations: float | None = None


@dataclass(frozen=True)
class Saved:
    """A checkpoint of step `step` was written to `path`."""

    step: int
    path: Path


@dataclass(frozen=True)
class Ended:
    """Training stopped after step `step`."""

    step: int
    seconds: float
    outcome: Outcome
    message: str = ""


@dataclass(frozen=True)
class Finishing:
    """A task after the last step, as computing the final metrics; sent before it begins."""

    what: str


Event = Started | Stepped | Assessed | Saved | Ended | Finishing


class Listener(Protocol):
    """Receives every event, in order. Listeners with a file or a terminal are also context managers."""

    def __call__(self, event: Event) -> None: ...


# ---- Progress


@dataclass(frozen=True)
class EpochRow:
    """A row of the table of epochs; loss, terms and train are means over the steps since the previous row."""

    step: int
    epoch: float
    phase: str
    loss: float | None
    terms: dict[str, float]
    train: float | None
    validation: float | None = None
    test: float | None = None
    evaluations: float | None = None


class TrainingProgress:
    """A run so far: the last step, the rows of its epochs, the speed in steps per second."""

    def __init__(self, started: Started) -> None:
        self.started = started
        self.last: Stepped | None = None
        self.rows: list[EpochRow] = []
        self.rate = 0.0
        self._since: list[tuple[int, Stepped]] = []  # with the number of steps of each mean

    def step(self, event: Stepped) -> None:
        before = (self.last.step, self.last.seconds) if self.last else (self.started.resumed, 0.0)
        steps, seconds = event.step - before[0], event.seconds - before[1]
        # The first duration of a resumed run may include the time before it was resumed.
        if seconds > 0 and (self.last or not self.started.resumed):
            self.rate = 0.7 * self.rate + 0.3 * steps / seconds if self.rate else steps / seconds
        self._since.append((max(steps, 1), event))
        self.last = event

    def row(self, event: Stepped | Assessed) -> EpochRow:
        """The row of this step, created if necessary, with the metrics of the event."""
        if not self.rows or self.rows[-1].step != event.step:
            loss = _mean((n, e.loss) for n, e in self._since)
            train = _mean((n, e.accuracy) for n, e in self._since)
            self.rows.append(EpochRow(event.step, event.epoch, event.phase, loss, self._terms(), train))
            self._since = []
        if isinstance(event, Assessed):
            row, validation = (
                replace(self.rows[-1], evaluations=event.evaluations),
                event.split is HeldOutSplit.VALIDATION,
            )
            self.rows[-1] = replace(row, validation=event.accuracy) if validation else replace(row, test=event.accuracy)
        return self.rows[-1]

    def _terms(self) -> dict[str, float]:
        names = self._since[-1][1].terms if self._since else {}
        means = {name: _mean((n, e.terms.get(name)) for n, e in self._since) for name in names}
        return {name: mean for name, mean in means.items() if mean is not None}

    @property
    def left(self) -> float | None:
        """Seconds to the end at the current speed."""
        return (self.last.of - self.last.step) / self.rate if self.last and self.rate else None


def _mean(weighted: Iterable[tuple[int, float | None]]) -> float | None:
    known = [(n, value) for n, value in weighted if value is not None]
    return sum(n * value for n, value in known) / sum(n for n, _ in known) if known else None


# ---- Text


def heading(event: Started) -> list[str]:
    """Name and title, size of the problem, notes."""
    data = [f"{n:,} {name}" for n, name in ((event.validation, "validation"), (event.test, "test")) if n]
    where = event.device + (f", {event.processes} processes" if event.processes > 1 else "")
    steps = f"{event.steps:,} step{'s' * (event.steps != 1)}"
    lines = [
        f"{event.name}: {event.title}" if event.title else event.name,
        f"{event.parameters:,} parameters, {steps}, batch size {event.batch:,}, on {where}",
        f"{', '.join([f'{event.train:,} training', *data])} samples; run folder {event.folder}",
    ]
    if len(event.phases) > 1:
        lines.append("phases: " + ", ".join(f"{name} ({steps:,} steps)" for name, steps in event.phases))
    if event.attacked:
        lines.append(
            "adversarial training: training metrics are on adversarial examples, validation and test are clean"
        )
    if event.resumed:
        lines.append(f"resumed after step {event.resumed:,}")
    return [line(text) for text in (*lines, *(f"note: {note}" for note in event.notes))]


def train_name(event: Started) -> str:
    """Column name of the training accuracy: on clean samples or on adversarial examples."""
    return "adversarial" if event.attacked else "train"


def ending(event: Ended) -> str:
    """Outcome, number of steps and time."""
    return f"{event.outcome} after step {event.step:,}, {duration(event.seconds)}"


def number(value: float | None) -> str:
    """Formatted in at most nine characters."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e3 else f"{value:.2e}"


def count(value: float | None) -> str:
    """A mean of counts, with one decimal."""
    return "-" if value is None else f"{value:.1f}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}%"


def duration(seconds: float | None) -> str:
    """h:mm:ss."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
