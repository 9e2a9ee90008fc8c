"""Hypotheses of a theorem, each of which is verified or not."""

from __future__ import annotations

from collections.abc import Iterable

from pdedsl.analysis.problem import quote_terms, spans
from pdedsl.diagnostics import Span
from pdedsl.ir.terms import Origin
from pdedsl.ir.verdicts import Proved, Undecided, Verdict
from pdedsl.record import Record


class Hypothesis(Record):
    """A sentence, and whether it is verified."""

    text: str
    holds: bool


def conclude(reason: str, hypotheses: Iterable[Hypothesis], offending: tuple[Span, ...] = ()) -> Verdict:
    """Proved if all hypotheses hold; otherwise Unknown, naming the first that is not verified."""
    listed = tuple(hypotheses)
    missing = next((h for h in listed if not h.holds), None)
    if missing is None:
        return Proved(f"{reason}.", tuple(h.text for h in listed))
    return Undecided(f"it could not be shown that {missing.text}.", offending)


def undecided_terms(reason: str, offending: list[Origin]) -> Undecided:
    """An undecided verdict because of some terms, which are quoted at {} in its reason."""
    return Undecided(reason.format(quote_terms(offending)), spans(offending))
