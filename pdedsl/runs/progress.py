"""Progress display of a run: lines of text and, on a terminal, a progress bar below them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Self, TextIO

from pdedsl.diagnostics.escaping import line
from pdedsl.runs.events import (
    Assessed,
    Ended,
    Event,
    Finishing,
    HeldOutSplit,
    MeasurementProgress,
    Saved,
    Started,
    Stepped,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

LINE_SECONDS = 30.0  # between two lines within an epoch, or within a twentieth of the steps of a solver
REFRESH_SECONDS = 0.1  # between two redraws on a terminal
STYLES = {"finished": "green", "interrupted": "yellow", "diverged": "red"}


class ProgressDisplay:
    """A listener that shows progress on a stream: a line for each epoch, for each twentieth of the steps of a solver
    and for each measurement of an evaluation, and every half minute. On a terminal, a bar replaces all but the epochs.

    A context manager, which leaves the last display in place and restores the cursor."""

    def __init__(
        self, stream: TextIO, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream, self._clock = stream, clock
        self._console = console or _console(stream)
        self._bar: Progress | None = None
        self._drawn = -inf  # time of the last redraw
        self._progress = RunProgress()
        self._waiting: EpochRow | None = None  # for other metrics of the same step
        self._written = 0.0  # seconds of the run at the last line

    def __call__(self, event: Event) -> None:
        match event:
            case Started():
                self._progress = RunProgress(event)
                self._write(*heading(event), _headings(event))
            case Stepped():
                self._step(event)
            case Assessed():
                if self._waiting and self._waiting.step != event.step:
                    self._flush()
                self._waiting = self._progress.row(event)
            case MeasurementProgress():
                self._measure(event)
            case Finishing(what=what):
                self._write(f"{what} …", style="dim")
            case Ended():
                self.close()
                self._write(ending(event), style=STYLES[event.outcome])
            case Saved():
                pass

    def _step(self, event: Stepped) -> None:
        self._flush()
        started, first = self._progress.started, self._progress.last is None
        self._progress.step(event)
        if first and not (started and not started.resumed):
            self._written = event.seconds
        if self._console:
            self._draw(event.phase or "solving", event.step, event.of, " · ".join(_current(self._progress, event)))
        elif started is None and (_is_twentieth(event) or event.seconds - self._written >= LINE_SECONDS):
            self._write(_solver_line(self._progress, event))
            self._written = event.seconds
        elif started and event.seconds - self._written >= LINE_SECONDS:
            self._waiting = self._progress.row(event)
            self._flush()

    def _measure(self, event: MeasurementProgress) -> None:
        accuracy = "" if event.accuracy is None else f", accuracy {100 * event.accuracy:.1f} %"
        batch = f"batch {event.batch} of {event.batches}{accuracy}"
        if self._console:
            self._draw(line(event.measurement), event.done, event.of, batch)
        elif event.batch == event.batches:
            self._write(line(f"[{event.done}/{event.of}] {event.measurement}, {batch}"))

    def _flush(self) -> None:
        if self._waiting and self._progress.started:
            self._write(_epoch_line(self._progress, self._progress.started, self._waiting), crop=True)
            self._waiting = None
            self._written = self._progress.last.seconds if self._progress.last else 0.0

    def _write(self, *lines: str, style: str = "", crop: bool = False) -> None:
        if self._console is None:
            self._stream.write("".join(f"{text.rstrip()}\n" for text in lines))
            self._stream.flush()
            return
        for text in lines:
            self._console.print(text.rstrip(), style=style, markup=False, no_wrap=crop, overflow="ellipsis")

    def _draw(self, name: str, done: int, of: int, metrics: str) -> None:
        if self._bar is None:
            self._bar = _start_bar(self._console)
            self._bar.add_task(name, total=of, metrics=metrics)
        now = self._clock()
        due = now - self._drawn >= REFRESH_SECONDS or done == of
        self._drawn = now if due else self._drawn
        self._bar.update(self._bar.task_ids[0], description=name, completed=done, metrics=metrics, refresh=due)

    def close(self) -> None:
        self._flush()
        if self._bar is not None:
            self._bar.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _console(stream: TextIO) -> Console | None:
    """A console if the stream is a Unicode terminal, and neither NO_COLOR nor TERM=dumb forbids it."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    if plain or not stream.isatty() or (stream.encoding or "").lower().replace("-", "") != "utf8":
        return None
    from rich.console import Console

    return Console(file=stream, highlight=False)


def _start_bar(console: Console | None) -> Progress:
    """Without a thread: it changes only on events. Other output is printed above it, or to its file."""
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(20),
        TaskProgressColumn(),
        TextColumn("{task.fields[metrics]}", markup=False),
        console=console,
        auto_refresh=False,
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=sys.stderr.isatty(),
    )
    bar.start()
    return bar


# ---- Means and speed


@dataclass(frozen=True)
class EpochRow:
    """A row of the table of epochs; loss, terms and train are means over the steps since the previous row."""

    step: int
    epoch: float
    phase: str
    loss: float | None
    terms: Mapping[str, float]
    train: float | None
    validation: float | None = None
    test: float | None = None
    evaluations: float | None = None


class RunProgress:
    """A run so far: the last step, the rows of its epochs, the speed in steps per second."""

    def __init__(self, started: Started | None = None) -> None:
        self.started = started
        self.last: Stepped | None = None
        self.rows: list[EpochRow] = []
        self.rate = 0.0
        self._since: list[tuple[int, Stepped]] = []  # with the number of steps of each mean

    def step(self, event: Stepped) -> None:
        before = (
            (self.last.step, self.last.seconds) if self.last else (self.started.resumed if self.started else 0, 0.0)
        )
        steps, seconds = event.step - before[0], event.seconds - before[1]
        # The first duration of a resumed run may include the time before it was resumed.
        if seconds > 0 and (self.last or (self.started and not self.started.resumed)):
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
            row = replace(self.rows[-1], evaluations=event.evaluations)
            validation = event.split is HeldOutSplit.VALIDATION
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


def _headings(event: Started) -> str:
    step, phase = _widths(event)
    metrics = f"{'loss':>9}  {train_name(event):>7}  {'validation':>10}  {'test':>7}  {'lr':>8}"
    costs = "evaluations  " if event.adaptive else ""
    return f"{'step':>{step}}  {'epoch':>8}  {'phase':<{phase}}  {metrics}  {'steps/s':>7}  {'left':>8}  {costs}terms"


def _epoch_line(progress: RunProgress, started: Started, row: EpochRow) -> str:
    step, phase = _widths(started)
    terms = " ".join(f"{name}={number(value)}" for name, value in row.terms.items()) if len(row.terms) > 1 else ""
    costs = f"{count(row.evaluations):>11}  " if started.adaptive else ""
    train = percent(row.train).rjust(max(7, len(train_name(started))))
    rate = progress.last.lr if progress.last and progress.last.lr else 0.0
    return (
        f"{row.step:>{step}}  {row.epoch:>8.2f}  {row.phase:<{phase}}  {number(row.loss):>9}  {train}  "
        f"{percent(row.validation):>10}  {percent(row.test):>7}  {rate:>8.2e}  "
        f"{progress.rate:>7.3g}  {duration(progress.left):>8}  {costs}{terms}"
    )


def _widths(event: Started) -> tuple[int, int]:
    return max(4, len(str(event.steps))), max(5, *(len(name) for name, _ in event.phases))


def _current(progress: RunProgress, last: Stepped) -> list[str]:
    """The current metrics, beside the bar."""
    metrics = [f"{duration(progress.left)} left", f"loss {number(last.loss)}"]
    if last.accuracy is not None and progress.started:
        metrics.append(f"{train_name(progress.started)} {percent(last.accuracy)}")
    return [*metrics, f"step {last.step:,}/{last.of:,}", f"{progress.rate:.3g} steps/s"]


def _is_twentieth(event: Stepped) -> bool:
    return event.step == event.of or event.step % max(1, event.of // 20) == 0


def _solver_line(progress: RunProgress, event: Stepped) -> str:
    left = "" if event.step == event.of or progress.left is None else f", {duration(progress.left)} left"
    return f"step {event.step} of {event.of}, {duration(event.seconds)}{left}: loss {event.loss:.2e}"
