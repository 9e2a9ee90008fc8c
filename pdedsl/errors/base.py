"""Diagnostic codes, and phrases that many messages share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from string import Formatter

from pdedsl.diagnostics import Diagnostic, PdeError, Severity, Span
from pdedsl.diagnostics.fixes import Fix
from pdedsl.record import Record

FixOf = Callable[[Span], tuple[Fix, ...]]
SpanError = Callable[[Span], PdeError]
Notes = tuple[tuple[Span, str], ...]


class Code(Record):
    """`description` is the entry in the reference; the message of an error is more specific."""

    name: str
    description: str

    def __call__(
        self,
        message: str,
        span: Span,
        hint: str = "",
        notes: Notes = (),
        once: bool = False,
        fixes: tuple[Fix, ...] = (),
    ) -> PdeError:
        """A `PdeError` with one diagnostic."""
        return PdeError((Diagnostic(self.name, message, span, hint, notes=notes, once=once, fixes=fixes),))

    def at(self, message: str, hint: str = "", once: bool = False, fixes: FixOf | None = None) -> SpanError:
        """The constructor of an error without parameters; `fixes` are those of its span."""
        return lambda span: self(message, span, hint, once=once, fixes=fixes(span) if fixes else ())

    def of(
        self, message: str, hint: str = "", once: bool = False, fixes: FixOf | None = None
    ) -> Callable[[str | int, Span], PdeError]:
        """The constructor of an error with one parameter, the name in braces in the texts."""
        (name,) = {name for text in (message, hint) for _, name, _, _ in Formatter().parse(text) if name}

        def error(value: str | int, span: Span) -> PdeError:
            texts = {name: value}
            return self.at(message.format(**texts), hint.format(**texts), once, fixes)(span)

        return error

    def warning(self, message: str, span: Span, hint: str = "", fixes: tuple[Fix, ...] = ()) -> Diagnostic:
        return Diagnostic(self.name, message, span, hint, Severity.WARNING, fixes=fixes)


# ---- Phrases


KEEP_ONE = "keep one of the two"


def with_article(noun: str) -> str:
    """The noun with its indefinite article, unless it is a plural."""
    if noun.startswith(("class probabilities", "logits")):
        return noun
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"


def this_is(noun: str) -> str:
    return f"{'these are' if with_article(noun) == noun else 'this is'} {with_article(noun)}"


def count_noun(n: int, noun: str) -> str:
    """`1 argument`, `2 arguments`, `no arguments`."""
    return f"{n or 'no'} {noun}{'s' * (n != 1)}"


def join_or(words: Iterable[str]) -> str:
    return " or ".join(words)


def join_comma(words: Iterable[str]) -> str:
    return ", ".join(words)


def did_you_mean(guess: str | None, otherwise: str = "") -> str:
    """The suggested name, or else another hint."""
    return f"did you mean '{guess}'?" if guess else otherwise
