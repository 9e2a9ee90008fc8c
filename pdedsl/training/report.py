"""report.md of a run: what was trained, how well, in pictures, and how to continue."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pdedsl.io import replace_text
from pdedsl.runs.document import Code, Heading, Items, Paragraph, Picture, Table, markdown
from pdedsl.training.events import count, duration, number, percent

PICTURES = {
    "curves.png": "Loss, accuracy and learning rate over the steps",
    "boundary.png": "Probabilities, decision boundary and data",
}


@dataclass(frozen=True)
class Result:
    """Final figures on one part of the data; None if unknown."""

    split: str
    loss: float | None
    accuracy: float | None
    evaluations: float | None = None


@dataclass(frozen=True)
class Summary:
    """A run in plain values. `equation` is the text of the spec, `usage` Python, `resume` a command.

    `robust` are names of attacks with the accuracies under them.
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
    results: tuple[Result, ...]
    usage: str
    resume: str
    robust: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()  # further entries of the experiment, in the words of the spec


def write_report(folder: Path, summary: Summary) -> Path:
    """Write report.md beside the pictures that it shows, completely or not at all."""
    path = folder / "report.md"
    replace_text(path, report_text(summary, [name for name in PICTURES if (folder / name).is_file()]))
    return path


def report_text(summary: Summary, pictures: Iterable[str] = ()) -> str:
    """The report as Markdown, with these pictures."""
    robust = tuple((name, percent(value)) for name, value in summary.robust)
    return markdown(
        [
            Heading(summary.name, 1),
            Paragraph(summary.title),
            Code(summary.equation, "pde"),
            Heading("What was trained"),
            Table(("", ""), tuple(_facts(summary))),
            Items(summary.notes),
            Heading("How well"),
            _results(summary.results),
            Table(("attack", "robust accuracy"), robust),
            *(Picture(name, PICTURES[name]) for name in pictures),
            Heading("How to use it"),
            Code(summary.usage, "python"),
            Heading("How to go on"),
            Code(summary.resume, "sh"),
        ]
    )


def _facts(summary: Summary) -> list[tuple[str, str]]:
    return [
        ("data", summary.data),
        ("epochs", f"{summary.epochs:g}"),
        ("batch", f"{summary.batch:,}"),
        ("optimizer", summary.optimizer),
        *summary.entries,
        ("parameters", f"{summary.parameters:,}"),
        ("steps", f"{summary.steps:,}"),
        ("time", duration(summary.seconds)),
        ("outcome", summary.outcome),
        ("hash of the spec", summary.hash),
    ]


def _results(results: tuple[Result, ...]) -> Table:
    """The table of figures; it has a column of evaluations if a solver counts them."""
    head, rows = ("data", "accuracy", "loss"), [(r.split, percent(r.accuracy), number(r.loss)) for r in results]
    if all(r.evaluations is None for r in results):
        return Table(head, tuple(rows))
    counted = zip(rows, results, strict=True)
    return Table((*head, "evaluations"), tuple((*row, count(r.evaluations)) for row, r in counted))
