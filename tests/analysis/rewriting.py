"""Equivalent rewritings of a spec: terms moved and reordered, equations scaled, names changed, statements shuffled."""

from __future__ import annotations

import random
import re

from pdedsl.api import format
from pdedsl.language.names import SUPERSCRIPT_LETTERS

WORDS = ("pde", "space", "time", "unknown", "const", "let", "learn", "realize", "require")
SCALES = ("2", "-3", "½", "-1", "5/4", "0.1")
FRESH = ("q", "w", "z", "r", "b", "h", "ζ", "η", "θ", "ξ", "μ", "Q", "state", "speed", "place", "amount", "rate1", "Ω")
LETTER = r"(?![ΔΣ∆∑ᵀ⁰¹²³⁴-⁹⁻½⅓⅔¼¾₀-₉ᵢⱼₖ-ₙ])[^\W0-9_]"
NAME = re.compile(f"{LETTER}(?:{LETTER}|[0-9_])*")
DECLARED = re.compile(rf"^(?:unknown|const|let|learn|time)\s+({NAME.pattern})", re.MULTILINE)
CONDITION = re.compile(r"[(,]\s*[01](?:, \w+)*\)\s*=|\bon \w+$")
Term = tuple[int, str]  # a sign and what stands behind it


def rewritten(text: str, seed: str) -> str:
    """An equivalent text, other than the first; the same for the same seed."""
    draw = random.Random(seed)
    if "du/d" in text:
        text = format(text)
    statements = [_restated(s, draw) for s in _statements(text)]
    first, *others = statements
    draw.shuffle(others)
    return _renamed("\n".join((first, *others)) + "\n", draw)


def _statements(text: str) -> list[str]:
    """Lines, with the lines of a block as one."""
    blocks = re.split(r"^(\w+ \{\n(?:.*\n)*?\})\n", text, flags=re.MULTILINE)
    found = []
    for k, part in enumerate(blocks):
        found += [part] if k % 2 else [line for line in part.splitlines() if line.strip()]
    return found


def _restated(statement: str, draw: random.Random) -> str:
    word = statement.split()[0]
    if word in WORDS or statement.endswith("}") or CONDITION.search(statement):
        return statement
    equation, *interval = statement.split(" for ")
    return " for ".join((_equation(equation, draw), *interval))


# ---- equations


def _equation(text: str, draw: random.Random) -> str:
    left, right = (_terms(side) for side in _halves(text))
    every = [(sign, term, True) for sign, term in left] + [(sign, term, False) for sign, term in right]
    scale = draw.choice(SCALES)
    sides: dict[bool, list[Term]] = {True: [], False: []}
    for sign, term, on_left in every:
        moved = draw.random() < 0.5
        sides[on_left != moved].append((-sign if moved else sign, term))
    for side in sides.values():
        draw.shuffle(side)
    return " = ".join(_side(sides[half], scale) for half in (True, False))


def _side(terms: list[Term], scale: str) -> str:
    shown = [("-" if sign < 0 else "+") + f" ({scale})*({term})" for sign, term in terms if term != "0"]
    return " ".join(shown).removeprefix("+ ") or "0"


def _halves(text: str) -> tuple[str, str]:
    at = next(i for i, c, deep in _depths(text) if c == "=" and not deep)
    return text[:at].strip(), text[at + 1 :].strip()


def _terms(side: str) -> list[Term]:
    """The summands of a side, at the top of its brackets."""
    cuts = [i for i, c, deep in _depths(side) if c in "+-" and not deep]
    starts = cuts if cuts and cuts[0] == 0 else [-1, *cuts]
    found = []
    for start, end in zip(starts, (*starts[1:], len(side)), strict=True):
        sign = -1 if start >= 0 and side[start] == "-" else 1
        found.append((sign, side[start + 1 : end].strip()))
    return found


def _depths(text: str) -> list[tuple[int, str, bool]]:
    """Each character, and whether it stands in brackets or bars."""
    depth, open_bars, found = 0, set(), []
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c in "‖|":
            open_bars ^= {c}
        found.append((i, c, depth > 0 or bool(open_bars)))
    return found


# ---- names


def _renamed(text: str, draw: random.Random) -> str:
    names = dict.fromkeys(DECLARED.findall(text)) | dict.fromkeys(_coordinates(text))
    taken = set(NAME.findall(text))
    fresh = [name for name in FRESH if name not in taken]
    draw.shuffle(fresh)
    new = dict(zip(names, fresh, strict=False))
    new |= {f"d{old}": f"d{name}" for old, name in new.items()}  # the dx of an integral
    new |= {letter: f"^{new[old]}" for old, letter in SUPERSCRIPT_LETTERS.items() if old in new}  # its limit, as in ∫₀ˣ
    return NAME.sub(lambda match: new.get(match[0], match[0]), text)


def _coordinates(text: str) -> list[str]:
    found = re.search(r"^space\s+(.*?) in ", text, re.MULTILINE)
    return NAME.findall(found[1]) if found else []
