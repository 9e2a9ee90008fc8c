"""Unicode mathematics in a sentence as ASCII LaTeX."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

SYMBOLS = {
    "∂": r"\partial",
    "∇": r"\nabla",
    "∈": r"\in",
    "∫": r"\int",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "∞": r"\infty",
    "√": r"\surd",
    "ℓ": r"\ell",
    "‖": r"\|",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "·": r"\cdot",
    "×": r"\times",
    "±": r"\pm",
    "→": r"\to",
    "½": r"\frac12",
    "ᵀ": r"{}^{\top}",
}
CAPITALS = ("gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega")
LATIN = {  # Greek capitals that look like Latin ones have no command
    "alpha": "A",
    "beta": "B",
    "epsilon": "E",
    "zeta": "Z",
    "eta": "H",
    "iota": "I",
    "kappa": "K",
    "mu": "M",
    "nu": "N",
    "omicron": "O",
    "rho": "P",
    "tau": "T",
    "chi": "X",
}

LETTERS = {"Ø": r"{\O}", "ø": r"{\o}", "é": r"\'e", "ö": r"\"o"}  # in authors' names
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")

SPELLED = {"LAMDA": "lambda"}  # Unicode names that differ from TeX's
SMALL = {"omicron": "o"}


def ascii_tex(text: str) -> str:
    """Adjacent symbols become one formula; characters without a command here are left unchanged."""
    return _NON_ASCII.sub(lambda match: _formula(match[0]), text)


def _formula(text: str) -> str:
    parts = [(known, "".join(run)) for known, run in groupby(text, key=lambda char: bool(_command(char)))]
    return "".join(rf"\({' '.join(map(_command, run))}\)" if known else _letters(run) for known, run in parts)


def _letters(text: str) -> str:
    return "".join(LETTERS.get(char, char) for char in text)


def _command(char: str) -> str:
    return SYMBOLS.get(char) or _greek(char) or _script(char)


def _greek(char: str) -> str:
    """\\sigma from GREEK SMALL LETTER SIGMA, \\Delta from GREEK CAPITAL LETTER DELTA."""
    match = re.fullmatch(r"GREEK (?:(SMALL)|CAPITAL) LETTER (\w+)", unicodedata.name(char, ""))
    if match is None:
        return ""
    small, letter = match.groups()
    name = SPELLED.get(letter, letter.lower())
    if small:
        return SMALL.get(name, f"\\{name}")
    return f"\\{name.capitalize()}" if name in CAPITALS else rf"\mathrm{{{LATIN[name]}}}"


def _script(char: str) -> str:
    """^{2} from ², _{i} from ᵢ."""
    kind, _, code = unicodedata.decomposition(char).partition("> ")
    mark = {"<super": "^", "<sub": "_"}.get(kind)
    return f"{{}}{mark}{{{chr(int(code, 16)).replace('−', '-')}}}" if mark else ""
