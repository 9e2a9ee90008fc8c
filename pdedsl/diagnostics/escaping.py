"""Text of a spec, a file name or a title inside other text: one function for each kind of output.

Whoever wrote the text, it stays text: no character of it ends a string or a comment, opens a tag or a command, moves a
cursor or changes the direction of writing. Text from outside passes through here wherever it enters an output.
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
_MARKED = re.compile(r"[\\`*_\[\]<>&~|$@]|:(?=//)|(?<=www)\.", re.IGNORECASE)  # what Markdown may interpret anywhere
_LEADING = re.compile(r"\A(\d{1,9}|)([-+=#.)])(?=[-+=#\s]|\Z)")  # and what it may interpret at the start of a line
_ENDING = re.compile(r'"(?="|\Z)')  # quotation marks that might end a docstring


# ---- terminals


def line(text: str) -> str:
    """One line that is safe on a terminal: tabs become spaces, other control and invisible characters are made visible.

    Escape sequences begin with a control character, and marks that change the direction of writing are format
    characters.
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
    """JSON that is safe on a terminal; invisible characters are escaped, so the value is unchanged."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(c if c == "\n" or _visible(c) == c else json.dumps(c)[1:-1] for c in text)


def command(*words: object) -> str:
    """A command to paste into a shell: a folder named `a; b` stays one word."""
    return line(shlex.join(map(str, words)))


# ---- Python


def docstring(text: str) -> str:
    '''The text between `"""` and `"""`, which Python reads as `lines(text)`.'''
    return _ENDING.sub(r"\\\g<0>", lines(text).replace("\\", "\\\\"))


def comment(text: str) -> str:
    """The text after `# `."""
    return line(text)


def literal(text: str) -> str:
    """A string in double quotes, which Python reads as `text`."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in escaped) + '"'


# ---- pages


def markdown(text: str) -> str:
    """A line of prose without markup, HTML, links, headings or lists."""
    return _LEADING.sub(r"\1\\\2", cell(text), count=1)


def cell(text: str) -> str:
    """A cell of a Markdown table; it never starts a line."""
    return _MARKED.sub(r"\\\g<0>", line(text).strip())


def fenced(text: str, language: str) -> str:
    """A block of code in Markdown, fenced by more backticks than the text has in a row."""
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
    """A title or label in a picture; matplotlib would read text between dollar signs as a formula."""
    return line(text).replace("$", r"\$")
