"""Progress display of runs, as text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

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
from pdedsl.runs.progress import ProgressDisplay, RunProgress, duration, number

STARTED = Started(
    name="Heat",
    title="Diffusion of scores",
    hash="0123",
    folder=Path("runs/heat"),
    phases=(("data", 300), ("diffusion", 100)),
    steps=400,
    parameters=12345,
    train=6000,
    validation=1000,
    test=0,
    batch=64,
    device="cpu",
    processes=2,
    notes=("one note",),
)
HEADING = """\
Heat: Diffusion of scores
12,345 parameters, 400 steps, batch size 64, on cpu, 2 processes
6,000 training, 1,000 validation samples; run folder runs/heat
phases: data (300 steps), diffusion (100 steps)
note: one note
step     epoch  phase           loss    train  validation     test        lr  steps/s      left  terms
"""
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def stepped(step: int, seconds: float, loss: float = 0.5, accuracy: float | None = 0.9) -> Stepped:
    terms = {"fit": loss - 1e-4, "smooth": 1e-4}
    return Stepped(step, 400, "data", step / 100, 4, terms, loss, accuracy, 0.01, seconds)


def run() -> Iterator[Event]:
    yield STARTED
    yield stepped(50, 10.0, 0.8, 0.5)
    yield stepped(100, 20.0, 0.4, 0.75)
    yield Assessed(100, 1, "data", HeldOutSplit.VALIDATION, 0.5, 0.7)
    yield Assessed(100, 1, "data", HeldOutSplit.TEST, 0.6, 0.65)
    yield Saved(100, Path("runs/heat/state"))
    yield stepped(150, 45.0, 2e-5, None)
    yield stepped(200, 70.0, 1234.5, 1.0)
    yield Ended(200, 70.4, "interrupted", "by Ctrl-C")


def lines(*events: Event) -> str:
    stream = io.StringIO()
    with ProgressDisplay(stream) as view:
        for event in events:
            view(event)
    return stream.getvalue()


def live(*events: Event, width: int = 80, height: int = 25) -> list[str]:
    """The lines of all pictures, the last one at the end."""
    return CONTROL.sub("", drawn(*events, width=width, height=height)).replace("\r", "\n").splitlines()


def drawn(*events: Event, width: int = 80, height: int = 25) -> str:
    stream, ticks = io.StringIO(), iter(range(10**6))
    console = Console(file=stream, force_terminal=True, width=width, height=height, highlight=False)
    with ProgressDisplay(stream, console, clock=lambda: float(next(ticks))) as view:
        for event in events:
            view(event)
    return stream.getvalue()


# ---- plain lines


def test_a_line_for_each_epoch_and_for_each_half_minute() -> None:
    assert lines(*run()) == HEADING + (
        " 100      1.00  data          0.6000   62.50%      70.00%   65.00%  1.00e-02        5   0:01:00"
        "  fit=0.5999 smooth=1.00e-04\n"
        " 200      2.00  data        617.2500  100.00%           -        -  1.00e-02     3.47   0:00:58"
        "  fit=617.2499 smooth=1.00e-04\n"
        "interrupted after step 200, 0:01:10\n"
    )


def test_columns_are_aligned_with_their_headings() -> None:
    rows = lines(*run()).splitlines()
    head, first = rows[5], rows[6]
    for name, value in (("loss", "0.6000"), ("train", "62.50%"), ("validation", "70.00%"), ("left", "0:01:00")):
        assert head.index(name) + len(name) == first.index(value) + len(value)


def test_a_pending_epoch_is_written_at_the_end() -> None:
    events = [e for e in run() if not isinstance(e, Ended)][:4]
    assert lines(*events).splitlines()[-1].split()[:7] == ["100", "1.00", "data", "0.6000", "62.50%", "70.00%", "-"]


def test_two_epochs_without_a_step_between_are_two_lines() -> None:
    text = lines(
        STARTED,
        Assessed(0, 0, "data", HeldOutSplit.VALIDATION, 1.0, 0.1),
        Assessed(9, 1, "data", HeldOutSplit.TEST, 1.0, 0.2),
    )
    assert [row.split()[0] for row in text.splitlines()[-2:]] == ["0", "9"]


def test_a_resumed_run_says_so_and_does_not_count_the_time_before() -> None:
    resumed = Started(**{**STARTED.__dict__, "resumed": 100, "notes": ()})
    text = lines(
        resumed, stepped(110, 1000.0), stepped(120, 1001.0), Assessed(120, 2, "data", HeldOutSplit.VALIDATION, 1, 0.5)
    )
    assert "resumed after step 100\n" in text
    row = text.splitlines()[-1].split()
    assert len(text.splitlines()) == len(HEADING.splitlines()) + 1
    assert row[0] == "120"
    assert "10" in row  # steps/s


def test_every_line_is_flushed() -> None:
    class Stream(io.StringIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed = len(self.getvalue())

    stream = Stream()
    view = ProgressDisplay(stream)
    view(STARTED)
    assert stream.flushed == len(HEADING)


def test_divergence_is_shown() -> None:
    text = lines(STARTED, stepped(1, 40.0, float("nan")), Ended(1, 40, "diverged", "the loss is not a number"))
    assert text.splitlines()[-2].split()[3] == "nan"
    assert text.endswith("diverged after step 1, 0:00:40\n")


# ---- a terminal


def test_a_terminal_shows_the_epochs_and_a_bar() -> None:
    shown = [row.strip() for row in live(*run(), width=110)]
    assert shown[0] == "Heat: Diffusion of scores"
    (row,) = [row for row in shown if row.startswith("100 ")]
    assert row.split()[:7] == ["100", "1.00", "data", "0.6000", "62.50%", "70.00%", "65.00%"]
    *_, bar, end = [row for row in shown if row]
    metrics = re.escape("0:00:58 left · loss 1.23e+03 · train 100.00% · step 200/400 · 3.47 steps/s")
    assert re.fullmatch(rf"data [━╸╺ ]+ 50% {metrics}", bar)
    assert end == "interrupted after step 200, 0:01:10"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_live_fits_the_terminal(width: int) -> None:
    assert max(len(line.rstrip()) for line in live(*run(), width=width)) <= width


def test_the_cursor_is_restored_after_an_exception() -> None:
    stream = io.StringIO()

    def stopped() -> None:
        with ProgressDisplay(stream, Console(file=stream, force_terminal=True)) as view:
            view(STARTED)
            view(stepped(1, 0.01))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    hidden, shown = stream.getvalue().rfind("\x1b[?25l"), stream.getvalue().rfind("\x1b[?25h")
    assert 0 <= hidden < shown


def test_the_bar_is_redrawn_at_a_limited_rate() -> None:
    stream = io.StringIO()
    with ProgressDisplay(stream, Console(file=stream, force_terminal=True, width=120), clock=lambda: 0.0) as view:
        view(STARTED)
        view(stepped(1, 0.01))
        size = len(stream.getvalue())
        view(stepped(2, 0.02))
        assert len(stream.getvalue()) == size
        view(Ended(2, 0.03, "finished"))
    assert "step 2/400" in stream.getvalue()


# ---- solvers and evaluations


def test_lines_of_a_solver_and_the_remaining_time() -> None:
    """One line for each twentieth of the steps, and every half minute."""
    times = ((10, 14.0), (30, 42.0), (50, 70.0), (51, 71.4), (1000, 1400.0), (20_000, 28_000.0))
    assert lines(*(Stepped(step, 20_000, loss=1.0, seconds=seconds) for step, seconds in times)).splitlines() == [
        "step 50 of 20000, 0:01:10, 7:45:30 left: loss 1.00e+00",
        "step 1000 of 20000, 0:23:20, 7:23:20 left: loss 1.00e+00",
        "step 20000 of 20000, 7:46:40: loss 1.00e+00",
    ]


def test_the_time_before_a_solver_was_resumed_does_not_count() -> None:
    resumed = (Stepped(step, 1000, seconds=9000.0 + step) for step in (900, 910, 950))
    assert lines(*resumed).splitlines()[-1].startswith("step 950 of 1000, 2:45:50, 0:00:50 left")


def test_a_line_for_each_measurement() -> None:
    events = [
        MeasurementProgress("natural", 1, 4, 1, 2, 0.5),
        MeasurementProgress("natural", 2, 4, 2, 2, 0.75),
        MeasurementProgress("c", 4, 4, 1, 1, None),
    ]
    assert lines(*events) == "[2/4] natural, batch 2 of 2, accuracy 75.0 %\n[4/4] c, batch 1 of 1\n"
    assert re.fullmatch(r"c ━+ 100% batch 1 of 1", [row.strip() for row in live(*events, width=100) if row.strip()][-1])


# ---- the costs of adaptive solvers


def adaptive_run() -> Iterator[Event]:
    for event in run():
        if isinstance(event, Started):
            event = replace(event, adaptive=True)
        yield replace(event, evaluations=38.25) if isinstance(event, Assessed) else event


def test_evaluations_have_a_column_where_they_are_counted() -> None:
    *_, head, first, second, _ = lines(*adaptive_run()).splitlines()
    assert head.index("evaluations") + len("evaluations") == first.index("38.2") + len("38.2")
    assert first.split()[-3:] == ["38.2", "fit=0.5999", "smooth=1.00e-04"]
    assert second.split()[-3:] == ["-", "fit=617.2499", "smooth=1.00e-04"]
    assert "evaluations" not in lines(*run())


# ---- the choice


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "encoding", "bar"),
    [
        ({}, "utf-8", True),
        ({"NO_COLOR": "1"}, "utf-8", False),
        ({"TERM": "dumb"}, "utf-8", False),
        ({}, "ascii", False),
    ],
)
def test_a_terminal_gets_a_bar(
    environment: dict[str, str], encoding: str, bar: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = Terminal(bytes_ := io.BytesIO(), encoding=encoding, errors="replace")
    with ProgressDisplay(stream) as view:
        view(stepped(1, 0.01))
    stream.flush()
    assert ("━".encode() in bytes_.getvalue()) is bar


# ---- Metrics


def test_means_are_weighted_by_steps() -> None:
    progress = RunProgress(STARTED)
    progress.step(stepped(10, 1.0, loss=1.0, accuracy=None))
    progress.step(stepped(40, 2.0, loss=2.0, accuracy=0.5))
    row = progress.row(Assessed(40, 1, "data", HeldOutSplit.VALIDATION, 1, 0.1))
    assert row.loss == pytest.approx((10 * 1 + 30 * 2) / 40)
    assert row.train == 0.5
    assert row.terms["smooth"] == pytest.approx(1e-4)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0000"), (0.001, "0.0010"), (9.9e-4, "9.90e-04"), (999.9, "999.9000"), (-1e3, "-1.00e+03"), (None, "-")],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


def test_durations() -> None:
    assert [duration(s) for s in (0, 59.6, 3599, 90061, None)] == ["0:00:00", "0:01:00", "0:59:59", "25:01:01", "-"]


def test_tasks_after_the_last_step_are_shown() -> None:
    assert lines(STARTED, Finishing("decision boundary")) == HEADING + "decision boundary …\n"


def test_column_of_adversarial_training() -> None:
    shown = lines(replace(STARTED, attacked=True), *list(run())[1:])
    assert "training metrics are on adversarial examples, validation and test are clean\n" in shown
    heads, first = next((a, b) for a, b in pairwise(shown.splitlines()) if "  adversarial  " in a)
    assert heads.index("adversarial") + len("adversarial") == first.index("62.50%") + len("62.50%")
