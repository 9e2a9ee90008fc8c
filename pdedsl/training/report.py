"""report.md of a run: what was trained, how well, in pictures, and how to go on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pdedsl.files import replace_text
from pdedsl.quoting import cell, fenced, markdown
from pdedsl.training.events import count, duration, number, percent

PICTURES = {
    "curves.png": "Loss, accuracy and learning rate over the steps",
    "boundary.png": "Probabilities, decision boundary and data",
}


@dataclass(frozen=True)
class Result:
    """Final figures on one part of the data; None is what is not known."""

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
    entries: tuple[tuple[str, str], ...] = ()  # further ones of the experiment, in the words of the spec


def write_report(folder: Path, summary: Summary) -> Path:
    """Write report.md beside the pictures that it shows, completely or not at all."""
    path = folder / "report.md"
    replace_text(path, report_text(summary, [name for name in PICTURES if (folder / name).is_file()]))
    return path


def report_text(summary: Summary, pictures: Iterable[str] = ()) -> str:
    """The report as Markdown, with these pictures."""
    shown = [f"![{PICTURES[name]}]({name})" for name in pictures]
    parts = [
        f"# {summary.name}",
        markdown(summary.title),
        fenced(summary.equation, "pde"),
        "## What was trained",
        _table(("", ""), _facts(summary)),
        "\n".join(f"- {markdown(note)}" for note in summary.notes),
        "## How well",
        _table(*_results(summary.results)),
        _table(("attack", "robust accuracy"), ((name, percent(value)) for name, value in summary.robust)),
        *shown,
        "## How to use it",
        fenced(summary.usage, "python"),
        "## How to go on",
        fenced(summary.resume, "sh"),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


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


def _results(results: tuple[Result, ...]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The table of figures; evaluations are in it if a solver counts them."""
    head, rows = ("data", "accuracy", "loss"), [(r.split, percent(r.accuracy), number(r.loss)) for r in results]
    if all(r.evaluations is None for r in results):
        return head, list(rows)
    return (*head, "evaluations"), [(*row, count(r.evaluations)) for row, r in zip(rows, results, strict=True)]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A Markdown table; nothing without rows."""
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    rule = "| " + " | ".join("---" for _ in head) + " |"
    return "\n".join(["| " + " | ".join(head) + " |", rule, *lines]) if lines else ""
