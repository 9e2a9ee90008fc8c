"""Names: Greek letters and their ASCII names are the same name; superscripts are powers, subscripts are indices.

Two spellings are the same name if their `canonical_name` is the same: `σ_x`, `sigma_x`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

MAX_NAME_LENGTH = 100  # characters
MAX_SCRIPT_LENGTH = 4  # characters of a superscript or subscript

_LETTERS = "αβγδεζηθικλμνξοπρστυφχψωΓΘΛΞΠΦΨΩ"
_LETTER_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon "
    "phi chi psi omega Gamma Theta Lambda Xi Pi Phi Psi Omega"
)
GREEK_NAMES = dict(zip(_LETTERS, _LETTER_NAMES.split(), strict=True))
GREEK_LETTERS = {name: letter for letter, name in GREEK_NAMES.items()}
VARIANTS = str.maketrans("ϵϑϰϱϕϖςµ", "εθκρφπσμ")

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
INDEX_LETTERS = dict(zip("ijklmn", "ᵢⱼₖₗₘₙ", strict=True))
SUPERSCRIPT_LETTERS = dict(zip("xyzrst", "ˣʸᶻʳˢᵗ", strict=True))
"""Upper limits of integrals."""
FRACTIONS = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4)}
FRACTION_SIGNS = {value: sign for sign, value in FRACTIONS.items()}

_SUPERSCRIPT_TABLE = str.maketrans(SUPERSCRIPTS + "⁻", "0123456789-")
_SUBSCRIPT_TABLE = str.maketrans(SUBSCRIPTS + "".join(INDEX_LETTERS.values()), "0123456789" + "".join(INDEX_LETTERS))
_WORD = re.compile(r"[A-Za-z]+")
_VARIABLE = re.compile(r"[^\W\d_][0-9]*")


def canonical_name(spelling: str) -> str:
    """The ASCII spelling, by which names are compared; letters of other scripts are unchanged."""
    return "".join(GREEK_NAMES.get(c, c) for c in _normalize(spelling))


def unicode_name(spelling: str) -> str:
    """The spelling with Greek letters: `K_sigma` gives `K_σ`; words that merely contain a letter's name do not."""
    return "_".join(map(_greek_word, _normalize(spelling).split("_")))


def _normalize(spelling: str) -> str:
    """The NFC form, with variants of Greek letters unified; the text itself if NFC yields characters that are not
    letters, as for क़, which could not be scanned."""
    text = unicodedata.normalize("NFC", spelling).translate(VARIANTS)
    return text if all(c.isalnum() or c == "_" for c in text) else spelling


def _greek_word(word: str) -> str:
    """`sigma`, `sigma2` with the Greek letter."""
    head = _WORD.match(word)
    rest = word[head.end() :] if head else ""
    if head and head[0] in GREEK_LETTERS and not rest[:1].isalpha():
        return GREEK_LETTERS[head[0]] + rest
    return word


def parse_superscript(superscript: str) -> int:
    return int(superscript.translate(_SUPERSCRIPT_TABLE))


def superscript(value: int) -> str:
    return str(value).translate({ord(a): b for a, b in zip("0123456789-", SUPERSCRIPTS + "⁻", strict=True)})


def parse_subscript(subscript: str) -> list[str]:
    """The indices of a subscript: digits form one number, each letter is one index."""
    text = subscript.translate(_SUBSCRIPT_TABLE)
    return [text] if text.isdigit() else list(text)


def subscript(indices: list[str]) -> str | None:
    """The indices as a Unicode subscript, or None if they cannot be written as one."""
    if len("".join(indices)) > MAX_SCRIPT_LENGTH:
        return None
    if len(indices) == 1 and indices[0].isdigit():
        return "".join(SUBSCRIPTS[int(c)] for c in indices[0])
    if all(i in INDEX_LETTERS for i in indices):
        return "".join(INDEX_LETTERS[i] for i in indices)
    return None


def is_differential(word: str, declared: Collection[str], variables: Collection[str]) -> bool:
    """Whether a word that is not declared ends an integral: `ds` for a letter s, or `dx1` for a declared x1."""
    name = canonical_name(word[1:])
    variable = _VARIABLE.fullmatch(word[1:]) is not None or name in GREEK_LETTERS or name in variables
    return word[:1] == "d" and variable and canonical_name(word) not in declared


def split_product(text: str, words: set[str]) -> str | None:
    """`σ v` for `σv`, which is one name but may be meant as a product."""
    for i in range(1, len(text)):
        if text[:i] in words and text[i:] in words:
            return f"{text[:i]} {text[i:]}"
    return None
