"""E615: what would take more memory than there is."""

from __future__ import annotations

from pdedsl.diagnostics import PdeError, Span
from pdedsl.mistakes.code import Code

MEMORY = Code("E615", "a network or a method would take more memory than machines have")


def too_many_weights(found: int, most: int, span: Span) -> PdeError:
    message = f"this network would have about {found:,} weights; the limit is {most:,}"
    return MEMORY.error(message, span, "use fewer layers, steps or members, or narrower ones")


def too_many_numbers(method: str, found: int, most: int, span: Span) -> PdeError:
    message = f"{method} would hold about {found:,} numbers at once; the limit is {most:,}"
    return MEMORY.error(message, span, "use fewer points or features, or a smaller network")
