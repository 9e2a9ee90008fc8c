"""Escaping of untrusted text (specs, file names, titles) for each output format.

Escaped text stays text: it cannot end a string or a comment, open a tag or a command, move the cursor or change the
writing direction. All external text passes through here before it enters an output.
"""

from __future__ import annotations

import json
import re
import shlex
import unicodedata
from html import escape

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
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
_MARKED = re.compile(r"[\\`*_\[\]<>&~|$@]|:(?=//)|(?<=www)\.", re.IGNORECASE)  # Markdown syntax anywhere in a line
_LEADING = re.compile(r"\A(\d{1,9}|)([-+=#.)])(?=[-+=#\s]|\Z)")  # Markdown syntax at the start of a line
_ENDING = re.compile(r'"(?="|\Z)')  # quotation marks that could end a docstring


# ---- Terminal


def line(text: str) -> str:
    """One line that is safe on a terminal: tabs become spaces, other control and format characters become U+FFFD.

    Escape sequences begin with a control character; marks of writing direction are format characters.
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_visible, text))


def lines(text: str) -> str:
    """The same for several lines."""
    return "\n".join(map(line, text.split("\n")))


def _visible(char: str) -> str:
    if char.isprintable() or unicodedata.category(char) == "Zs":
        return char
    return " " if char == "\t" else REPLACEMENT


def as_json(value: object, indent: int | None = None) -> str:
    """JSON that is safe on a terminal: invisible characters are escaped, the value is unchanged."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return "".join(c if c == "\n" or _visible(c) == c else json.dumps(c)[1:-1] for c in text)


def command(*words: object) -> str:
    """A shell command with quoted arguments."""
    return line(shlex.join(map(str, words)))


# ---- Python


def docstring(text: str) -> str:
    '''The text between `"""` and `"""`; Python reads it as `lines(text)`.'''
    return _ENDING.sub(r"\\\g<0>", lines(text).replace("\\", "\\\\"))


def comment(text: str) -> str:
    """The text after `# `."""
    return line(text)


def literal(text: str) -> str:
    """A Python string literal in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in escaped) + '"'


# ---- Markdown, HTML, LaTeX


def markdown(text: str) -> str:
    """A line of plain Markdown text, without markup, HTML, links, headings or lists."""
    return _LEADING.sub(r"\1\\\2", cell(text), count=1)


def cell(text: str) -> str:
    """A cell of a Markdown table, never at the start of a line."""
    return _MARKED.sub(r"\\\g<0>", line(text).strip())


def fence_code(text: str, language: str) -> str:
    """A fenced Markdown code block; the fence is longer than any run of backticks in the text."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{lines(text).strip()}\n{ticks}"


def html(text: str) -> str:
    """HTML text or a quoted attribute value."""
    return escape(line(text))


def html_lines(text: str) -> str:
    """The same for several lines."""
    return escape(lines(text))


def latex(text: str) -> str:
    """A line of plain LaTeX text."""
    return "".join(TEX.get(char, char) for char in line(text))


# ---- Plots


def caption(text: str) -> str:
    """A matplotlib title or label; text between dollar signs would be a formula."""
    return line(text).replace("$", r"\$")
