"""Progress display of training: `Live` on a terminal, `Lines` elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Self, TextIO

from pdedsl.runs.events import (
    Assessed,
    Ended,
    EpochRow,
    Event,
    Finishing,
    Saved,
    Started,
    Stepped,
    TrainingProgress,
    count,
    duration,
    ending,
    heading,
    number,
    percent,
    train_name,
)

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

LINE_SECONDS = 30.0  # between two lines within an epoch
MAX_ROWS = 8  # epochs in the table on a terminal
REFRESH_SECONDS = 0.1  # between two redraws on a terminal


def view_for(stream: TextIO) -> Live | Lines:
    """Live if the stream is a Unicode terminal, and neither NO_COLOR nor TERM=dumb forbids it; else Lines."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    unicode = (stream.encoding or "").lower().replace("-", "") == "utf8"
    return Live(stream) if stream.isatty() and unicode and not plain else Lines(stream)


class Lines:
    """Plain text in fixed columns: a line for each epoch, and every half minute within a long one."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._progress: TrainingProgress | None = None
        self._waiting: EpochRow | None = None  # for other metrics of the same step
        self._written = 0.0  # seconds

    def __call__(self, event: Event) -> None:
        progress = self._progress
        match event:
            case Started():
                self._progress = TrainingProgress(event)
                self._write(*heading(event), _headings(event))
            case Stepped() if progress:
                self._flush()
                if not progress.last and progress.started.resumed:
                    self._written = event.seconds
                progress.step(event)
                if event.seconds - self._written >= LINE_SECONDS:
                    self._waiting = progress.row(event)
                    self._flush()
            case Assessed() if progress:
                if self._waiting and self._waiting.step != event.step:
                    self._flush()
                self._waiting = progress.row(event)
            case Ended():
                self._flush()
                self._write(ending(event))
            case Finishing(what=what):
                self._write(f"{what} …")

    def _flush(self) -> None:
        if self._waiting and self._progress:
            self._write(_line(self._progress, self._waiting))
            self._waiting = None
            self._written = self._progress.last.seconds if self._progress.last else 0.0

    def _write(self, *lines: str) -> None:
        self._stream.write("".join(f"{line.rstrip()}\n" for line in lines))
        self._stream.flush()

    def close(self) -> None:
        self._flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Live:
    """Live display on a terminal: the last epochs, a progress bar, the current metrics. A context manager."""

    def __init__(
        self, stream: TextIO, console: Console | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        from rich.console import Console
        from rich.live import Live as Region

        self._console = console or Console(file=stream, highlight=False)
        # No thread: the display changes only on events. Other output is printed above it, or to its file.
        out, err = sys.stdout.isatty(), sys.stderr.isatty()
        self._region = Region(console=self._console, auto_refresh=False, redirect_stdout=out, redirect_stderr=err)
        self._progress: TrainingProgress | None = None
        self._saved: Saved | None = None
        self._clock, self._drawn = clock, float("-inf")

    def __call__(self, event: Event) -> None:
        match event:
            case Started():
                self._progress = TrainingProgress(event)
                first, *others = heading(event)
                self._console.print(first, style="bold", markup=False)
                for line in others:
                    self._console.print(line, style="dim", markup=False)
                self._region.start()
            case Stepped() if self._progress:
                self._progress.step(event)
            case Assessed() if self._progress:
                self._progress.row(event)
            case Saved():
                self._saved = event
            case Ended():
                self._draw()
                self.close()
                style = {"finished": "green", "interrupted": "yellow", "diverged": "red"}[event.outcome]
                self._console.print(ending(event), style=style, markup=False)
            case Finishing(what=what):
                self._console.print(f"{what} …", style="dim", markup=False)
        if self._clock() - self._drawn >= REFRESH_SECONDS:
            self._draw()

    def _draw(self) -> None:
        if self._progress and self._progress.last and self._region.is_started:
            self._region.update(self._render(self._progress, self._progress.last), refresh=True)
            self._drawn = self._clock()

    def _render(self, progress: TrainingProgress, last: Stepped) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        parts = [_table(progress, min(MAX_ROWS, self._console.height - 8))] if progress.rows else []
        first, second = _current_metrics(progress, last)
        saved = f" · checkpoint {self._saved.step:,}" if self._saved else ""
        return Group(*parts, _bar(progress, last), Text(first), Text(second + saved, style="dim"))

    def close(self) -> None:
        """Leave the last display in place and restore the cursor."""
        self._region.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _table(progress: TrainingProgress, shown: int) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    costs = ("evaluations",) if progress.started.adaptive else ()
    table.add_column("epoch", justify="right", no_wrap=True)
    table.add_column("phase", justify="left", no_wrap=True)
    for name in ("loss", train_name(progress.started), "validation", "test", *costs):
        table.add_column(name, justify="right", no_wrap=True)
    best = max((r.validation for r in progress.rows if r.validation is not None), default=None)
    for r in progress.rows[-max(shown, 1) :]:
        validation = Text(percent(r.validation), style="green" if best and r.validation == best else "")
        cells = (f"{r.epoch:g}", Text(r.phase), number(r.loss), percent(r.train), validation, percent(r.test))
        table.add_row(*cells, *([count(r.evaluations)] if costs else ()))
    return table


def _bar(progress: TrainingProgress, last: Stepped) -> RenderableType:
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_column(no_wrap=True)
    grid.add_row(
        last.phase, ProgressBar(last.of, last.step), f"{last.step / last.of:4.0%}  {duration(progress.left)} left"
    )
    return grid


def _current_metrics(progress: TrainingProgress, last: Stepped) -> tuple[str, str]:
    """On two lines."""
    terms = ", ".join(f"{name} {number(value)}" for name, value in last.terms.items()) if len(last.terms) > 1 else ""
    metrics = [f"loss {number(last.loss)}" + (f" ({terms})" if terms else "")]
    if last.accuracy is not None:
        metrics.append(f"{train_name(progress.started)} {percent(last.accuracy)}")
    validation = next((r.validation for r in reversed(progress.rows) if r.validation is not None), None)
    if validation is not None:
        metrics.append(f"validation {percent(validation)}")
    where = f"epoch {last.epoch:.2f}/{last.epochs:g} · step {last.step:,}/{last.of:,}"
    return " · ".join(metrics), f"{where} · {progress.rate:.3g} steps/s · lr {last.lr:.3g}"


def _headings(event: Started) -> str:
    step, phase = _widths(event)
    metrics = f"{'loss':>9}  {train_name(event):>7}  {'validation':>10}  {'test':>7}  {'lr':>8}"
    costs = "evaluations  " if event.adaptive else ""
    return f"{'step':>{step}}  {'epoch':>8}  {'phase':<{phase}}  {metrics}  {'steps/s':>7}  {'left':>8}  {costs}terms"


def _line(progress: TrainingProgress, row: EpochRow) -> str:
    step, phase = _widths(progress.started)
    last = progress.last
    terms = " ".join(f"{name}={number(value)}" for name, value in row.terms.items()) if len(row.terms) > 1 else ""
    costs = f"{count(row.evaluations):>11}  " if progress.started.adaptive else ""
    train = percent(row.train).rjust(max(7, len(train_name(progress.started))))
    return (
        f"{row.step:>{step}}  {row.epoch:>8.2f}  {row.phase:<{phase}}  {number(row.loss):>9}  {train}  "
        f"{percent(row.validation):>10}  {percent(row.test):>7}  {last.lr if last else 0:>8.2e}  "
        f"{progress.rate:>7.3g}  {duration(progress.left):>8}  {costs}{terms}"
    )


def _widths(event: Started) -> tuple[int, int]:
    return max(4, len(str(event.steps))), max(5, *(len(name) for name, _ in event.phases))
