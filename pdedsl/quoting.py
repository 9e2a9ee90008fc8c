"""Text of a spec, a file name or a title inside other text: one function for each kind of output.

Whoever wrote the text, it stays text: no character of it ends a string or a comment, opens a tag or a command, moves a
cursor or turns the direction of writing. Wherever text from outside enters an output it passes through here.
"""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
from html import escape

STAND_IN = "\N{REPLACEMENT CHARACTER}"
TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\^{}",
    "~": r"\~{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
}
_MARKED = re.compile(r"[\\`*_\[\]<>&~|$@]|:(?=//)|(?<=www)\.", re.IGNORECASE)  # what Markdown may read, anywhere
_LEADING = re.compile(r"\A(\d{1,9}|)([-+=#.)])(?=[-+=#\s]|\Z)")  # and what it may read at the start of a line
_ENDING = re.compile(r'"(?="|\Z)')  # quotation marks that might end a docstring


# ---- terminals


def line(text: str) -> str:
    """One line that a terminal may show: a tab is a space, other controls and unseen marks are made visible.

    Escape sequences begin with a control character, and what turns the direction of writing is a format character.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_visible, text))


def lines(text: str) -> str:
    """The same for text whose line breaks are its own."""
    return "\n".join(map(line, text.split("\n")))


def _visible(char: str) -> str:
    if char.isprintable() or unicodedata.category(char) == "Zs":
        return char
    return " " if char == "\t" else STAND_IN


def as_json(value: object, indent: int | None = None) -> str:
    """JSON that a terminal may show; what cannot be seen is escaped, so that the value is the same."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(c if c == "\n" or _visible(c) == c else json.dumps(c)[1:-1] for c in text)


def command(*words: object) -> str:
    """A command to paste into a shell: a folder named `a; b` stays one word."""
    return line(shlex.join(map(str, words)))


# ---- Python


def docstring(text: str) -> str:
    '''What stands between `"""` and `"""`; Python reads it as `lines(text)`.'''
    return _ENDING.sub(r"\\\g<0>", lines(text).replace("\\", "\\\\"))


def comment(text: str) -> str:
    """What stands behind `# `."""
    return line(text)


def literal(text: str) -> str:
    """A string in double quotes, which Python reads as `text`."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in escaped) + '"'


# ---- pages


def markdown(text: str) -> str:
    """A line of prose: no markup, no HTML, no link, no heading and no list."""
    return _LEADING.sub(r"\1\\\2", cell(text), count=1)


def cell(text: str) -> str:
    """A cell of a table in Markdown, where no line begins."""
    return _MARKED.sub(r"\\\g<0>", line(text).strip())


def fenced(text: str, language: str) -> str:
    """A block of code in Markdown, fenced by more backticks than it holds in a row."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{lines(text).strip()}\n{ticks}"


def html(text: str) -> str:
    """Text between two tags, or the value of an attribute in quotation marks."""
    return escape(line(text))


def html_lines(text: str) -> str:
    """The same for text whose line breaks are its own."""
    return escape(lines(text))


def latex(text: str) -> str:
    """A line of prose in LaTeX."""
    return "".join(TEX.get(char, char) for char in line(text))


# ---- pictures


def caption(text: str) -> str:
    """A title or a label in a picture, of which matplotlib would read as a formula what stands between dollars."""
    return line(text).replace("$", r"\$")
