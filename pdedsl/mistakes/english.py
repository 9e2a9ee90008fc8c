"""Turns of phrase that many messages share."""

from __future__ import annotations

from collections.abc import Iterable

ONE = "keep one of the two"


def an(noun: str) -> str:
    """A noun with its article; some have none."""
    if noun.startswith(("class probabilities", "scores")):
        return noun
    return f"an {noun}" if noun[0] in "aeio" else f"a {noun}"


def this_is(noun: str) -> str:
    return f"{'these are' if an(noun) == noun else 'this is'} {an(noun)}"


def counted(n: int, noun: str) -> str:
    """`1 argument`, `2 arguments`, `no arguments`."""
    return f"{n or 'no'} {noun}{'s' * (n != 1)}"


def one_of(words: Iterable[str]) -> str:
    return " or ".join(words)


def all_of(words: Iterable[str]) -> str:
    return ", ".join(words)


def perhaps(guess: str | None, otherwise: str = "") -> str:
    """The word that was probably meant, or else another way out."""
    return f"did you mean '{guess}'?" if guess else otherwise
