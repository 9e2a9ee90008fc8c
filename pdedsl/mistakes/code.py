"""A diagnostic code: its name, and what it is about."""

from __future__ import annotations

from dataclasses import dataclass

from pdedsl.diagnostics import Diagnostic, PdeError, Severity, Span
from pdedsl.fixes import Fix

Notes = tuple[tuple[Span, str], ...]


@dataclass(frozen=True)
class Code:
    """`about` is the row of the code in the reference; the message of a mistake is more particular."""

    name: str
    about: str

    def error(
        self,
        message: str,
        span: Span,
        hint: str = "",
        notes: Notes = (),
        once: bool = False,
        fixes: tuple[Fix, ...] = (),
    ) -> PdeError:
        """The error for a single mistake, to be raised."""
        return PdeError((Diagnostic(self.name, message, span, hint, notes=notes, once=once, fixes=fixes),))

    def warning(self, message: str, span: Span, hint: str = "", fixes: tuple[Fix, ...] = ()) -> Diagnostic:
        return Diagnostic(self.name, message, span, hint, Severity.WARNING, fixes=fixes)
