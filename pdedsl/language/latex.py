r"""LaTeX and block comments of other programs: reported by the lexer, LaTeX with a translation.

\frac{\partial u}{\partial t} = \nabla^2 u   →   ∂u/∂t = ∇²u
"""

from __future__ import annotations

import re

from pdedsl import errors
from pdedsl.diagnostics import Reporter, Span
from pdedsl.language.names import GREEK_LETTERS, superscript

_INITIAL_CONDITION = re.compile(r"(∂?(\w+)(?:/∂\w+)?) = (.*) on (\w+)\s*=\s*([0-9.]+)")
_COMMAND = re.compile(r"\\[A-Za-z]+|\\[\[\]\\]|\|_")
_RESTRICTION = re.compile(r"(.*?)\s*\|_(?:\{([^{}]*)\}|(∂?\w+))\s*=(.*)")
_TEXT = re.compile(r'"[^"\r\n]*"')
_LINE = re.compile(r"[^\r\n]+")
_PARTIAL = r"(?:\\partial|\\mathrm\s*\{d\}|d)(?:\^\{?(\d)\}?)?\s*"
_DERIVATIVE = re.compile(
    rf"\\[dt]?frac\s*\{{\s*{_PARTIAL}(\w+|\\[A-Za-z]+)?\s*\}}\s*\{{((?:\s*(?:\\partial|\\mathrm\s*\{{d\}}|d)\s*\w(?:\^\{{?\d\}}?)?)+)\s*\}}"
)
_DENOMINATOR = re.compile(r"(?:\\partial|\\mathrm\s*\{d\}|d)\s*(\w)(?:\^\{?(\d)\}?)?")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*)\}")
_WRAPPED = re.compile(r"\\(?:mathrm|mathbf|mathit|operatorname|text|vec|hat|bm)\s*\{([^{}]*)\}")
_DOTTED = re.compile(r"\\d(d?)ot\s*\{?\s*(\w+)\s*\}?")
_POWER = re.compile(r"\^(?:\{(\d{1,2})\}|(\d))")
_SPACING = re.compile(
    r"\\(?:left|right|quad|qquad|nonumber|displaystyle|[,;:! \[\]])|\$|\\\\|&|\\(?:begin|end|label|tag)\*?\{[^{}]*\}"
)
BLOCK_COMMENTS = (("/*", "*/"), ("#=", "=#"), ('"""', '"""'), ("(*", "*)"), ("%{", "%}"), ("<!--", "-->"))
"""Delimiters of block comments in other programs."""
COMMANDS = {
    "partial": "∂",
    "nabla": "∇",
    "Delta": "Δ",
    "Sigma": "Σ",
    "sum": "Σ",
    "cdot": "·",
    "times": "×",
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "in": "in",
    "infty": "inf",
    "top": "ᵀ",
    "varepsilon": "ε",
    "varphi": "φ",
}


def strip_block_comments(text: str, reporter: Reporter) -> str:
    """The text with block comments blanked, each reported once."""
    for opening, closing in BLOCK_COMMENTS:
        text = _strip_between(text, opening, closing, reporter) if opening in text else text
    return text


def _strip_between(text: str, opening: str, closing: str, reporter: Reporter) -> str:
    """One pass, in linear time."""
    parts, at = [], 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
        stop = end + len(closing)
        inside = text[start:stop]
        line = text[text.rfind("\n", at, start) + 1 : start] if "\n" in text[at:start] else text[at:start]
        is_comment = len(inside.splitlines()) > 1 and "#" not in line
        if is_comment:
            reporter.add(errors.syntax.foreign_comment(opening, Span(start, start + len(opening))))
        parts += [text[at:start], re.sub(r"[^\r\n]", " ", inside) if is_comment else inside]
        at = stop
    return "".join([*parts, text[at:]])


def strip_latex(text: str, reporter: Reporter) -> str:
    """The text with LaTeX lines blanked, each reported once."""
    if "\\" not in text and "|_" not in text:
        return text
    return _LINE.sub(lambda line: _blank_line(line, text, reporter), text)


def _blank_line(line: re.Match[str], text: str, reporter: Reporter) -> str:
    written = _TEXT.sub(lambda text: " " * len(text[0]), line[0]).split("#")[0]
    if _COMMAND.search(written) is None:
        return line[0]
    if not translate_latex(written):  # \\begin{equation}: the lines inside are reported
        return " " * len(written) + line[0][len(written) :]
    start = line.start() + len(written) - len(written.lstrip())
    span = Span(start, line.start() + len(written.rstrip()))
    reporter.add(errors.syntax.latex_line(_as_initial_condition(translate_latex(written), text), span))
    return " " * len(written) + line[0][len(written) :]


def translate_latex(line: str) -> str:
    """A line of LaTeX in our notation; unknown commands stay, without their backslash."""
    if m := _RESTRICTION.fullmatch(line.strip().strip("$")):
        return f"{translate_latex(m[1])} = {translate_latex(m[4])} on {translate_latex(m[2] or m[3])}"
    line = _DOTTED.sub(lambda m: f"∂{superscript(2) if m[1] else ''}{m[2]}/∂t{superscript(2) if m[1] else ''}", line)
    line = re.sub(r"_\{(\w+)\}", r"_\1", line)
    text = _DERIVATIVE.sub(_translate_derivative, _WRAPPED.sub(r"\1", _SPACING.sub(" ", line)))
    for pattern, new in ((_ROOT, r"√(\1)"), (_FRACTION, r"(\1)/(\2)")):
        text = pattern.sub(new, text)
    text = re.sub(r"\\([A-Za-z]+)\s*", lambda m: COMMANDS.get(m[1]) or f"{GREEK_LETTERS.get(m[1], m[1])} ", text)
    text = _POWER.sub(lambda m: superscript(int(m[1] or m[2])), text)
    text = re.sub(r"(?<=\w)\s+\(", "(", text.replace("{", "(").replace("}", ")"))
    return " ".join(text.replace("\\", "").split())


def _as_initial_condition(line: str, text: str) -> str:
    """`u(x, 0) = f` for `u = f on t=0`, if u is declared with arguments, the last of which is t."""
    match = _INITIAL_CONDITION.fullmatch(line)
    declared = match and re.search(rf"\bunknown\s+{re.escape(match[2])}\s*\(([^()\n]*),\s*{match[4]}\s*\)", text)
    return f"{match[1]}({declared[1]}, {match[5]}) = {match[3]}" if match and declared else line


def _translate_derivative(match: re.Match[str]) -> str:
    order, body, denominator = match.groups()
    above = f"∂{superscript(int(order)) if order else ''}{body or ''}"
    return (
        above
        + "/"
        + "".join(f"∂{v}{superscript(int(n)) if n else ''}" for v, n in _DENOMINATOR.findall(denominator))
        + " "
    )
