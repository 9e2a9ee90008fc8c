"""The analysis of a text, cached."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from pdedsl.compiler import to_analysis, to_spec
from pdedsl.diagnostics import Source
from pdedsl.ir.analysis import Analysis


@cache
def analysed(text: str) -> Analysis:
    return to_analysis(to_spec(Source(text)))


@dataclass(frozen=True)
class Outcome:
    """The results that must not depend on the notation of a spec."""

    hash: str
    equations: tuple[tuple[str, bool, int], ...]
    verdicts: tuple[tuple[str, str], ...]
    errors: tuple[str, ...]


def outcome(analysis: Analysis) -> Outcome:
    return Outcome(
        analysis.spec.hash,
        tuple(sorted((e.kind, e.linear, e.equation.order) for e in analysis.equations)),
        tuple(sorted((name, verdict.truth) for name, verdict in analysis.axioms.items())),
        tuple(sorted(d.code for d in analysis.diagnostics if d.severity == "error")),
    )
