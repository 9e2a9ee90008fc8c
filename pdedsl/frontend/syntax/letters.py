"""Letters and signs of other blocks of Unicode, read as the plain ones they stand for: 𝑢 as u, 𝜕 as ∂, “ as ".

Each character becomes exactly one character, so all positions in the text stay valid.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

_BLOCKS = ((0x1D400, 0x1D7FF), (0xFF01, 0xFF5E))  # mathematical alphanumeric symbols, full-width forms
_SIGNS = {
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "•": "·",
    "∙": "·",
    "∗": "*",
    "–": "-",
    "△": "Δ",
    "⩽": "≤",
    "⩾": "≥",
    "ℎ": "h",
    "÷": "/",
    "⁄": "/",
    "∕": "/",
    "‐": "-",
    "‑": "-",
    "‒": "-",
    "′": "'",
}


def _plain() -> Iterator[tuple[int, str]]:
    for first, last in _BLOCKS:
        for code in range(first, last + 1):
            letter = unicodedata.normalize("NFKC", chr(code))
            if len(letter) == 1 and letter != chr(code):
                yield code, letter


_TABLE = {**dict(_plain()), **{ord(sign): plain for sign, plain in _SIGNS.items()}}


def plain_letters(text: str) -> str:
    """The text with every such character replaced; its length is unchanged."""
    return text if text.isascii() else text.translate(_TABLE)
