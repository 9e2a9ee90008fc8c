"""What happens while a network is trained, as immutable events and in words, and who listens."""

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
    """A run begins, or continues from step `resumed`; `phases` are names with their numbers of steps.

    `adaptive`: some solvers choose their own steps, so that assessments report their `evaluations`.
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
    attacked: bool = False  # whether the training figures are measured under its adversary


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


class Apart(StrEnum):
    """Data that training does not learn from: validation or test."""

    VALIDATION = "validation"
    TEST = "test"


@dataclass(frozen=True)
class Assessed:
    """The network after step `step` on data that it does not learn from; the figures are those of `assess`."""

    step: int
    epoch: float
    phase: str
    split: Apart
    loss: float
    accuracy: float | None
    evaluations: float | None = None


@dataclass(frozen=True)
class Saved:
    """The state after step `step` is in `path`."""

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
    """Something that is done after the last step and may take a while; sent before it begins."""

    what: str


Event = Started | Stepped | Assessed | Saved | Ended | Finishing


class Listener(Protocol):
    """Receives every event, in order. Listeners that hold a file or the terminal are also context managers."""

    def __call__(self, event: Event) -> None: ...


# ---- how far


@dataclass(frozen=True)
class Row:
    """A line of the table of epochs; loss, terms and train are means over the steps since the previous line."""

    step: int
    epoch: float
    phase: str
    loss: float | None
    terms: dict[str, float]
    train: float | None
    validation: float | None = None
    test: float | None = None
    evaluations: float | None = None


class Progress:
    """A run so far: the last step, the rows of its epochs, the speed in steps per second."""

    def __init__(self, started: Started) -> None:
        self.started = started
        self.last: Stepped | None = None
        self.rows: list[Row] = []
        self.rate = 0.0
        self._since: list[tuple[int, Stepped]] = []  # each with the number of steps that it averages over

    def step(self, event: Stepped) -> None:
        before = (self.last.step, self.last.seconds) if self.last else (self.started.resumed, 0.0)
        steps, seconds = event.step - before[0], event.seconds - before[1]
        # The first duration of a resumed run may include the time before it was resumed.
        if seconds > 0 and (self.last or not self.started.resumed):
            self.rate = 0.7 * self.rate + 0.3 * steps / seconds if self.rate else steps / seconds
        self._since.append((max(steps, 1), event))
        self.last = event

    def row(self, event: Stepped | Assessed) -> Row:
        """The row of this step, created if necessary, with the figures of the event."""
        if not self.rows or self.rows[-1].step != event.step:
            loss = _mean((n, e.loss) for n, e in self._since)
            train = _mean((n, e.accuracy) for n, e in self._since)
            self.rows.append(Row(event.step, event.epoch, event.phase, loss, self._terms(), train))
            self._since = []
        if isinstance(event, Assessed):
            row, validation = replace(self.rows[-1], evaluations=event.evaluations), event.split is Apart.VALIDATION
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


# ---- in words


def heading(event: Started) -> list[str]:
    """Name and title; what is trained on what; notes."""
    data = [f"{n:,} {name}" for n, name in ((event.validation, "validation"), (event.test, "test")) if n]
    where = event.device + (f", {event.processes} processes" if event.processes > 1 else "")
    steps = f"{event.steps:,} step{'s' * (event.steps != 1)}"
    lines = [
        f"{event.name}: {event.title}" if event.title else event.name,
        f"{event.parameters:,} parameters, {steps} in batches of {event.batch:,} on {where}",
        f"{', '.join([f'{event.train:,} training', *data])} samples; in {event.folder}",
    ]
    if len(event.phases) > 1:
        lines.append("phases: " + ", ".join(f"{name} ({steps:,} steps)" for name, steps in event.phases))
    if event.attacked:
        lines.append("loss and accuracy of training are those under the adversary; validation and test are clean")
    if event.resumed:
        lines.append(f"resumed after step {event.resumed:,}")
    return [line(text) for text in (*lines, *(f"note: {note}" for note in event.notes))]


def train_name(event: Started) -> str:
    """The name of the training accuracy: on the samples, or on the samples as the adversary changed them."""
    return "attacked" if event.attacked else "train"


def ending(event: Ended) -> str:
    """How the run ended."""
    return f"{event.outcome} after step {event.step:,} and {duration(event.seconds)}"


def number(value: float | None) -> str:
    """Formatted in at most nine characters."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value == 0 or 1e-3 <= abs(value) < 1e3 else f"{value:.2e}"


def count(value: float | None) -> str:
    """A mean of counts, formatted."""
    return "-" if value is None else f"{value:.1f}"


def percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f}%"


def duration(seconds: float | None) -> str:
    """h:mm:ss."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"
