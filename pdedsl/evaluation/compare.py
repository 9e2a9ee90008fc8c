"""Comparison of evaluation reports: one HTML page, and LaTeX tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdedsl.config.evaluation import NormOrder
from pdedsl.diagnostics import escaping
from pdedsl.document import CodeBlock, Element, Heading, Items, Paragraph, Picture, Table, page
from pdedsl.document import latex as latex_table
from pdedsl.evaluation.report import FORMAT, INTERVAL, MASKED
from pdedsl.evaluation.run import FOLDER
from pdedsl.io import RunError, malformed_as_run_error, write_text_atomically


@dataclass(frozen=True)
class _SavedReport:
    """A report as read from disk."""

    folder: Path
    plain: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.plain['name']} ({self.folder})"


def write_comparison(runs: Sequence[Path], output: Path, latex: Path | None) -> None:
    reports = [_read(run) for run in runs]
    with malformed_as_run_error("invalid report.json: evaluate the run again"):
        tables, plots = _tables(reports), [element for report in reports for element in _plots(report)]
        verdicts = Items(tuple(_verdicts(reports)))
    elements: list[Element] = [Heading("Comparison", 1)]
    elements += [element for title, table in tables for element in (Heading(title), table)]
    elements += [Paragraph(f"Accuracies with {INTERVAL} in brackets.")]
    elements += [Heading("Gradient-masking audits"), verdicts, *plots]
    write_text_atomically(output, page("Comparison", elements, Path("/")))
    if latex is not None:
        texts = [latex_table(table, f"{title}; {INTERVAL} in brackets") for title, table in tables]
        write_text_atomically(latex, "\n\n".join(texts) + "\n")


def _read(run: Path) -> _SavedReport:
    path = run / FOLDER / "report.json"
    try:
        plain = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise RunError(f"{run} has no evaluation report; run {escaping.command('pdedsl', 'evaluate', run)}") from None
    except (OSError, ValueError, RecursionError):
        raise RunError(f"{path} cannot be read: evaluate the run again") from None
    if not isinstance(plain, dict) or plain.get("format") not in (2, 3, 4, 5, FORMAT):
        raise RunError(f"{path} was written by another version: evaluate the run again")
    return _SavedReport(run, _rename_keys(plain) if plain["format"] == 2 else plain)


NAMES_IN_FORMAT_2 = {
    "doubts": "audits",
    "doubt": "audit",
    "maker": "source",
    "taker": "target",
    "maker_accuracy": "source_accuracy",
    "claim": "scope",
    "draws": "noise_samples",
    "broken": "violations",
    "pictures": "plots",
}


def _rename_keys(value: Any) -> Any:
    """A report of format 2 with the names of the present format."""
    match value:
        case dict():
            return {NAMES_IN_FORMAT_2.get(key, key): _rename_keys(inner) for key, inner in value.items()}
        case list():
            return [_rename_keys(inner) for inner in value]
        case _:
            return value


def _tables(reports: Sequence[_SavedReport]) -> list[tuple[str, Table]]:
    """One column per run, one row per metric of any run."""
    accuracies = [{"clean": r.plain["clean"]["accuracy"]} | _robust(r.plain) for r in reports]
    metrics = [
        ("Clean and robust accuracy", accuracies, "Attack"),
        ("Corruptions: accuracy", [_corrupted(r.plain) for r in reports], "Corruption"),
        ("Transfer attacks: accuracy of the target", [_transfers(r.plain) for r in reports], "Source → target"),
    ]
    for title in dict.fromkeys(_title(c) for r in reports for c in r.plain["certified"]):
        metrics.append((title, [_radii(r.plain, title) for r in reports], "ℓ2 radius"))
    accuracy = [(title, _side_by_side(reports, columns, first)) for title, columns, first in metrics if any(columns)]
    costs = _costs(reports)
    return [*accuracy, ("Cost", costs)] if costs.rows else accuracy


def _costs(reports: Sequence[_SavedReport]) -> Table:
    """Parameters, evaluations of the right-hand side, and throughput."""
    costs = [r.plain.get("cost") or {} for r in reports]  # not in format 5
    rows = (
        ("Parameters", *(f"{r.plain['parameters']:,}" if "parameters" in r.plain else "" for r in reports)),
        *(
            (title, *(f"{c[key]:,.4g}" if c.get(key) is not None else "" for c in costs))
            for title, key in (
                ("Evaluations of the right-hand side per sample", "evaluations"),
                ("Samples per second", "samples_per_second"),
            )
        ),
    )
    return Table(("", *(r.name for r in reports)), tuple(row for row in rows if any(row[1:])))


def _robust(plain: dict[str, Any]) -> dict[str, Any]:
    """Robust accuracies, the worst case first, each marked if the audit in its norm is suspicious."""
    masked = {v["norm"] for v in plain["audits"] if v["masked"]}
    accuracies = ((r, r["accuracy"] | {"masked": r["norm"] in masked}) for r in plain["robust"])
    worst = {
        f"worst case, {NormOrder(w['norm']).sign}, ε = {w['eps']:g}": w["accuracy"] | {"masked": w["norm"] in masked}
        for w in plain.get("worst_case", ())  # not in format 3
    }
    return worst | {f"{r['attack']}, {NormOrder(r['norm']).sign}": accuracy for r, accuracy in accuracies}


def _corrupted(plain: dict[str, Any]) -> dict[str, Any]:
    return {c["corruption"]: c["accuracy"] for c in plain.get("corrupted", ())}  # not in format 5


def _transfers(plain: dict[str, Any]) -> dict[str, Any]:
    return {f"{t['attack']}, {t['source']} → {t['target']}": t["accuracy"] for t in plain["transfers"]}


def _title(certified: dict[str, Any]) -> str:
    """Includes the scope of the certificate: radii of different classifiers are not compared in one table."""
    name = "Certified accuracy" if certified["sound"] else "Estimated certified accuracy"
    return f"{name}, {certified['certificate']}: {certified['scope']}"


def _radii(plain: dict[str, Any], title: str) -> dict[str, Any]:
    same = (c for c in plain["certified"] if _title(c) == title)
    return {f"{radius:g}": accuracy for c in same for radius, accuracy in c["accuracies"]}


def _side_by_side(reports: Sequence[_SavedReport], columns: Sequence[dict[str, Any]], first: str) -> Table:
    names = dict.fromkeys(name for column in columns for name in column)
    rows = tuple((name, *(_format(column.get(name)) for column in columns)) for name in names)
    return Table((first, *(r.name for r in reports)), rows)


def _format(accuracy: dict[str, Any] | None) -> str:
    if accuracy is None:
        return ""
    value, low, high = (100 * accuracy[key] for key in ("value", "low", "high"))
    return f"{value:.1f} % [{low:.1f}, {high:.1f}]" + (f" {MASKED}" if accuracy.get("masked") else "")


def _verdicts(reports: Sequence[_SavedReport]) -> list[str]:
    return [
        f"{r.name}, {NormOrder(v['norm']).sign}, ε = {v['eps']:g}: {v['verdict']}"
        for r in reports
        for v in r.plain["audits"]
    ]


def _plots(report: _SavedReport) -> list[Element]:
    """The plots of a run, from its folder only: an untrusted report may name any file."""
    folder = (report.folder / FOLDER).resolve()
    inside = [(folder / file, str(caption)) for file, caption in report.plain["plots"] if file == Path(file).name]
    shown = [Picture(str(path).lstrip("/"), c) for path, c in inside if path.is_file() and not path.is_symlink()]
    return [Heading(report.name), CodeBlock(str(report.plain["equation"]), "pde"), *shown]
