"""Several reports side by side: one page, and tables for a paper."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pdedsl.config.evaluation import Norm
from pdedsl.diagnostics import escaping
from pdedsl.evaluation.report import FORMAT
from pdedsl.evaluation.run import FOLDER
from pdedsl.evaluation.summary import MASKED
from pdedsl.io import RunError, replace_text, well_formed
from pdedsl.runs.document import Code, Element, Heading, Items, Picture, Table, page


@dataclass(frozen=True)
class _Read:
    """A report as read from disk."""

    folder: Path
    plain: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.plain['name']} ({self.folder})"


def write_comparison(runs: Sequence[Path], output: Path, latex: Path | None) -> None:
    reports = [_read(run) for run in runs]
    with well_formed("a report cannot be read: evaluate the runs again"):
        tables, own = _tables(reports), [element for report in reports for element in _own(report)]
        verdicts = Items(tuple(_verdicts(reports)))
    elements: list[Element] = [Heading("Comparison", 1)]
    elements += [element for title, table in tables for element in (Heading(title), table)]
    elements += [Heading("Audits"), verdicts, *own]
    replace_text(output, page("Comparison", elements, Path("/")))
    if latex is not None:
        replace_text(latex, "\n\n".join(_latex(title, table) for title, table in tables) + "\n")


def _read(run: Path) -> _Read:
    path = run / FOLDER / "report.json"
    try:
        plain = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise RunError(f"{run} was not evaluated: {escaping.command('pdedsl', 'evaluate', run)}") from None
    except (OSError, ValueError, RecursionError):
        raise RunError(f"{path} cannot be read: evaluate the run again") from None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise RunError(f"{path} is of another version: evaluate the run again")
    return _Read(run, plain)


def _tables(reports: Sequence[_Read]) -> list[tuple[str, Table]]:
    """Runs are columns; a row appears if any of them has it."""
    accuracies = [{"no attack": r.plain["clean"]["accuracy"]} | _robust(r.plain) for r in reports]
    found = [
        ("Accuracy", accuracies, ""),
        ("Accuracy of one network under adversaries of another", [_transfers(r.plain) for r in reports], ""),
    ]
    for title in dict.fromkeys(_title(c) for r in reports for c in r.plain["certified"]):
        found.append((title, [_radii(r.plain, title) for r in reports], "radius in ℓ2"))
    return [(title, _side_by_side(reports, columns, first)) for title, columns, first in found if any(columns)]


def _robust(plain: dict[str, Any]) -> dict[str, Any]:
    """Accuracies, each with the audit's verdict in its norm."""
    masked = {d["norm"] for d in plain["doubts"] if d["masked"]}
    shares = ((r, r["accuracy"] | {"masked": r["norm"] in masked}) for r in plain["robust"])
    return {f"{r['attack']}, {Norm(r['norm']).sign}": share for r, share in shares}


def _transfers(plain: dict[str, Any]) -> dict[str, Any]:
    return {f"{t['attack']}, made for {t['maker']}, tried on {t['taker']}": t["accuracy"] for t in plain["transfers"]}


def _title(certified: dict[str, Any]) -> str:
    """States what the radii hold for: radii that hold for different things are not set side by side."""
    verb = "Certified" if certified["sound"] else "Estimated"
    return f"{verb} accuracy by {certified['certificate']}: {certified['claim']}"


def _radii(plain: dict[str, Any], title: str) -> dict[str, Any]:
    own = (c for c in plain["certified"] if _title(c) == title)
    return {f"{radius:g}": share for c in own for radius, share in c["accuracies"]}


def _side_by_side(reports: Sequence[_Read], columns: Sequence[dict[str, Any]], first: str) -> Table:
    names = dict.fromkeys(name for column in columns for name in column)
    rows = tuple((name, *(_shown(column.get(name)) for column in columns)) for name in names)
    return Table((first, *(r.name for r in reports)), rows)


def _shown(share: dict[str, Any] | None) -> str:
    if share is None:
        return ""
    doubt = f" {MASKED}" if share.get("masked") else ""
    return f"{100 * share['value']:.1f} % [{100 * share['low']:.1f}, {100 * share['high']:.1f}]{doubt}"


def _verdicts(reports: Sequence[_Read]) -> list[str]:
    return [
        f"{r.name}, {Norm(d['norm']).sign}, ε = {d['eps']:g}: {d['verdict']}"
        for r in reports
        for d in r.plain["doubts"]
    ]


def _own(report: _Read) -> list[Element]:
    """A run's own pictures, from its own folder only: the report may be a stranger's and name any file."""
    folder = (report.folder / FOLDER).resolve()
    inside = [(folder / file, str(caption)) for file, caption in report.plain["pictures"] if file == Path(file).name]
    shown = [Picture(str(path).lstrip("/"), c) for path, c in inside if path.is_file() and not path.is_symlink()]
    return [Heading(report.name), Code(str(report.plain["equation"]), "pde"), *shown]


# ---- LaTeX

_SIGNS = {"ℓ": r"$\ell$", "∞": r"$\infty$", "ε": r"$\varepsilon$"}


def _cell(text: str) -> str:
    return "".join(_SIGNS.get(char, char) for char in escaping.latex(text))


def _latex(title: str, table: Table) -> str:
    """A table to paste: booktabs, one column per run."""
    lines = [" & ".join(_cell(cell) for cell in row) + r" \\" for row in (table.head, *table.rows)]
    inner = "\n".join([r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"])
    columns = "l" + "r" * (len(table.head) - 1)
    return f"% {escaping.comment(title)}\n\\begin{{tabular}}{{{columns}}}\n{inner}\n\\end{{tabular}}"
