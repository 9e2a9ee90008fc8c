"""Errors in the analysis of a row of a table, as text."""

from __future__ import annotations

from analysis.tables import Row
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.verdicts import Axiom, Verdict


def wrong_classes(row: Row, analysis: Analysis) -> list[str]:
    found = [e.kind for e in analysis.equations]
    if len(found) != len(row.classes):
        return [f"{len(found)} equations, not {len(row.classes)}"]
    pairs = zip(found, row.classes, strict=True)
    return [f"{kind}, not {'|'.join(wanted)}" for kind, wanted in pairs if kind not in wanted]


def wrong_form(row: Row, analysis: Analysis) -> list[str]:
    """Whether the equations are linear, and of which order in time."""
    linear = all(e.linear for e in analysis.equations)
    found = {e.equation.order for e in analysis.equations}
    return [
        *([] if linear == row.linear else [f"linear: {linear}"]),
        *([] if found == row.orders else [f"orders {sorted(found)}, not {sorted(row.orders)}"]),
    ]


def wrong(row: Row, axioms: dict[Axiom, Verdict]) -> dict[str, str]:
    """Missing, false or undecided verdicts, by axiom."""
    found = {}
    for name, allowed in row.verdicts.items():
        verdict = axioms.get(Axiom(name))
        if verdict is None:
            found[name] = "missing"
        elif verdict.truth not in allowed:
            found[name] = f"{verdict.truth}, not {allowed[0]}: {verdict.reason}"
    return found


def false(row: Row, axioms: dict[Axiom, Verdict]) -> dict[str, str]:
    """False verdicts; an undecided one is not false."""
    said = {name for name, verdict in axioms.items() if verdict.truth != "unknown"}
    return {name: words for name, words in wrong(row, axioms).items() if name in said}


def undecided(row: Row, axioms: dict[Axiom, Verdict]) -> list[str]:
    """Decidable axioms that are undecided."""
    return [name for name in wrong(row, axioms) if name not in false(row, axioms)]
