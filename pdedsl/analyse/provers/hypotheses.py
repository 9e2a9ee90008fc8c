"""A theorem is applied by discharging its hypotheses, one after the other: each holds, or it is not seen to hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pdedsl.diagnostics import Span
from pdedsl.ir.verdicts import Proved, Unknown, Verdict


@dataclass(frozen=True)
class Hypothesis:
    """A sentence, and whether it is known to hold."""

    text: str
    holds: bool


def concluded(reason: str, hypotheses: Iterable[Hypothesis], guilty: tuple[Span, ...] = ()) -> Verdict:
    """Proved if all of them hold; otherwise unknown, for the first that is not seen to."""
    listed = tuple(hypotheses)
    missing = next((h for h in listed if not h.holds), None)
    if missing is None:
        return Proved(f"{reason}.", tuple(h.text for h in listed))
    return Unknown(f"it is not seen that {missing.text}.", guilty)
