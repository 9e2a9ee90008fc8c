"""`PATH=VALUE` taken apart: the words of the path with their places, and the value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pdedsl import mistakes
from pdedsl.diagnostics import PdeError, Source, Span, nearest
from pdedsl.frontend.syntax.names import identity

PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Word:
    """A part of a path: `id` is its ASCII identity."""

    text: str
    id: str
    span: Span


@dataclass(frozen=True)
class Setting:
    """PATH=VALUE; the value is None if there is no '='."""

    text: str
    words: tuple[Word, ...]
    value: str | None

    def wrong(self, mistake: PdeError) -> PdeError:
        """A mistake in the setting itself."""
        return mistake.within(Source(self.text, "--set"))

    def unknown(self, word: Word, what: str, choices: Iterable[str]) -> PdeError:
        known = list(dict.fromkeys(choices))
        guess = nearest(word.id, known)
        return self.wrong(mistakes.settings.unknown_part(what, word.text, known, guess, word.span))

    @property
    def path(self) -> Span:
        return self.words[0].span.to(self.words[-1].span)


def read(text: str) -> Setting:
    """A setting, parsed; what its path names is not checked here."""
    path, equals, value = text.partition("=")
    words: list[Word] = []
    at = 0
    for part in path.split("."):
        name = part.strip()
        start = at + len(part) - len(part.lstrip())
        words.append(Word(name, identity(name), Span(start, start + len(name))))
        at += len(part) + 1
    setting = Setting(text, tuple(words), value.strip() if equals else None)
    empty = next((word for word in words if not word.text), None)
    if empty is not None:
        raise setting.wrong(mistakes.settings.empty_path(empty.span))
    _check_value(setting, len(path) + 1)
    return setting


def _check_value(setting: Setting, start: int) -> None:
    """Checks that a value is self-contained: it is on one line, and closes its own brackets."""
    opened: list[int] = []
    quoted = False
    for at, char in enumerate(setting.text[start:], start):
        here = Span(at, at + 1)
        quoted ^= char == '"'
        if char in "\n\r" or (char == "#" and not quoted):
            raise setting.wrong(mistakes.settings.one_line(here))
        if quoted:
            continue
        if char in PAIRS:
            opened.append(at)
        elif char in PAIRS.values() and (not opened or PAIRS[setting.text[opened.pop()]] != char):
            raise setting.wrong(mistakes.settings.closes_nothing(char, here))
    if quoted:
        raise setting.wrong(mistakes.settings.open_text(Span(setting.text.rindex('"'), len(setting.text))))
    if opened:
        at = opened[-1]
        raise setting.wrong(mistakes.settings.never_closed(setting.text[at], Span(at, at + 1)))
