"""`PATH=VALUE` taken apart: the words of the path with their places, and the value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pdedsl.diagnostics import PdeError, Source, Span, fail, nearest
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
    """PATH=VALUE; the value is None where no '=' stands."""

    text: str
    words: tuple[Word, ...]
    value: str | None

    def wrong(self, code: str, message: str, at: Span, hint: str = "") -> PdeError:
        """A mistake in the setting itself."""
        return PdeError(fail(code, message, at, hint).diagnostics, Source(self.text, "--set"))

    def unknown(self, word: Word, what: str, choices: Iterable[str]) -> PdeError:
        known = list(dict.fromkeys(choices))
        guess = nearest(word.id, known)
        hint = f"did you mean '{guess}'?" if guess else f"known here: {', '.join(known)}" if known else ""
        return self.wrong("E731", f"{what} '{word.text}'", word.span, hint)

    @property
    def path(self) -> Span:
        return self.words[0].span.to(self.words[-1].span)


def read(text: str) -> Setting:
    """A setting as it is written; what its path names is not asked here."""
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
        raise setting.wrong("E730", "a part of this path is empty", empty.span, "as in: train.optimizer.lr=0.1")
    _check_value(setting, len(path) + 1)
    return setting


def _check_value(setting: Setting, start: int) -> None:
    """A value keeps to itself: it stands on one line, and its brackets are closed in it."""
    opened: list[int] = []
    quoted = False
    for at, char in enumerate(setting.text[start:], start):
        here = Span(at, at + 1)
        quoted ^= char == '"'
        if char in "\n\r" or (char == "#" and not quoted):
            raise setting.wrong("E730", "a value stands on one line and has no comments", here)
        if quoted:
            continue
        if char in PAIRS:
            opened.append(at)
        elif char in PAIRS.values() and (not opened or PAIRS[setting.text[opened.pop()]] != char):
            raise setting.wrong("E730", f"'{char}' closes nothing in this value", here)
    if quoted:
        raise setting.wrong("E730", "this text is never closed", Span(setting.text.rindex('"'), len(setting.text)))
    if opened:
        at = opened[-1]
        raise setting.wrong("E730", f"'{setting.text[at]}' is never closed", Span(at, at + 1))
