"""Letters and signs of mathematics in the ASCII of LaTeX, as they are in formulas and in sentences alike."""

from __future__ import annotations

import re
import unicodedata

SIGNS = {
    "∂": r"\partial",
    "∇": r"\nabla",
    "∈": r"\in",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "∞": r"\infty",
    "√": r"\surd",
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
LATIN = {  # capitals that look like Latin ones have no command
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


SPELLED = {"LAMDA": "lambda"}  # by Unicode otherwise than by TeX
SMALL = {"omicron": "o"}


def ascii_tex(text: str) -> str:
    """What has no sign here is left as it is."""
    return "".join(char if char.isascii() else _command(char) for char in text)


def _command(char: str) -> str:
    sign = SIGNS.get(char) or _greek(char) or _raised(char)
    return rf"\ensuremath{{{sign}}}" if sign else char


def _greek(char: str) -> str:
    """\\sigma from GREEK SMALL LETTER SIGMA, \\Delta from GREEK CAPITAL LETTER DELTA."""
    found = re.fullmatch(r"GREEK (?:(SMALL)|CAPITAL) LETTER (\w+)", unicodedata.name(char, ""))
    if found is None:
        return ""
    small, letter = found.groups()
    name = SPELLED.get(letter, letter.lower())
    if small:
        return SMALL.get(name, f"\\{name}")
    return f"\\{name.capitalize()}" if name in CAPITALS else rf"\mathrm{{{LATIN[name]}}}"


def _raised(char: str) -> str:
    """^{2} from ², _{i} from ᵢ."""
    kind, _, code = unicodedata.decomposition(char).partition("> ")
    mark = {"<super": "^", "<sub": "_"}.get(kind)
    return f"{{}}{mark}{{{chr(int(code, 16))}}}" if mark else ""
