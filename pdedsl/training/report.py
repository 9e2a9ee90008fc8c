"""report.md of a training run: experiment, results, plots, usage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pdedsl.io import write_text_atomically
from pdedsl.runs.document import Code, Heading, Items, Paragraph, Picture, Table, markdown
from pdedsl.training.events import count, duration, number, percent

PLOTS = {
    "curves.png": "Training curves: loss, accuracy and learning rate vs. step",
    "boundary.png": "Class probabilities, decision boundary and test samples",
}


@dataclass(frozen=True)
class SplitMetrics:
    """Final metrics on one split of the data; None if unknown."""

    split: str
    loss: float | None
    accuracy: float | None
    evaluations: float | None = None


@dataclass(frozen=True)
class TrainingSummary:
    """A run as plain values. `equation` is the text of the spec, `usage` Python code, `resume` a shell command.

    `robust` are attacks with robust accuracies.
    """

    name: str
    title: str
    hash: str
    equation: str
    data: str
    epochs: float
    batch: int
    optimizer: str
    parameters: int
    steps: int
    seconds: float
    outcome: str
    results: tuple[SplitMetrics, ...]
    usage: str
    resume: str
    robust: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()  # further entries of the experiment, as written in the spec


def write_report(folder: Path, summary: TrainingSummary) -> Path:
    """Write report.md atomically, with the plots in the folder."""
    path = folder / "report.md"
    write_text_atomically(path, report_text(summary, [name for name in PLOTS if (folder / name).is_file()]))
    return path


def report_text(summary: TrainingSummary, plots: Iterable[str] = ()) -> str:
    """The report as Markdown, with these plots."""
    robust = tuple((name, percent(value)) for name, value in summary.robust)
    return markdown(
        [
            Heading(summary.name, 1),
            Paragraph(summary.title),
            Code(summary.equation, "pde"),
            Heading("Experiment"),
            Table(("", ""), tuple(_facts(summary))),
            Items(summary.notes),
            Heading("Results"),
            _results(summary.results),
            Table(("Attack", "Robust accuracy"), robust),
            *(Picture(name, PLOTS[name]) for name in plots),
            Heading("Usage"),
            Code(summary.usage, "python"),
            Heading("Continue training"),
            Code(summary.resume, "sh"),
        ]
    )


def _facts(summary: TrainingSummary) -> list[tuple[str, str]]:
    return [
        ("Data set", summary.data),
        ("Epochs", f"{summary.epochs:g}"),
        ("Batch size", f"{summary.batch:,}"),
        ("Optimizer", summary.optimizer),
        *((key.capitalize(), text) for key, text in summary.entries),
        ("Parameters", f"{summary.parameters:,}"),
        ("Steps", f"{summary.steps:,}"),
        ("Training time (h:mm:ss)", duration(summary.seconds)),
        ("Outcome", summary.outcome),
        ("Spec hash", summary.hash),
    ]


def _results(results: tuple[SplitMetrics, ...]) -> Table:
    """Accuracy and loss per split; with adaptive solvers, also the number of function evaluations."""
    head, rows = (
        ("Split", "Accuracy", "Cross-entropy"),
        [(r.split, percent(r.accuracy), number(r.loss)) for r in results],
    )
    if all(r.evaluations is None for r in results):
        return Table(head, tuple(rows))
    counted = zip(rows, results, strict=True)
    return Table((*head, "Function evaluations per sample"), tuple((*row, count(r.evaluations)) for row, r in counted))
