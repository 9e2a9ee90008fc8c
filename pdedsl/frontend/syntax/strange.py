"""Lines in the notation of other programs: each is reported once, with the same line in ours.

What is shown is tried first: only a line that can be read once it is rewritten is shown so; others keep the mistakes
that they have as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from pdedsl import mistakes
from pdedsl.diagnostics import Reporter, Source, Span
from pdedsl.frontend.syntax import tree as t
from pdedsl.frontend.syntax.calls import Known, known
from pdedsl.frontend.syntax.letters import plain_letters
from pdedsl.frontend.syntax.rewriting import CAREFUL, REMARKS, rewritten

_LINE = re.compile(r"[^\r\n]+")
LONG = 300  # characters of a line that is not rewritten
MOST = 2000  # lines that are looked at
_TEXT = re.compile(r'"[^"]*"')
_CODE = re.compile(r'(?:"[^"]*"|[^"#])*')
Parse = Callable[[Source, Reporter], t.Syntax]


def without_strange_lines(source: Source, reporter: Reporter, parse: Parse) -> tuple[Source, frozenset[str]]:
    """The text with such lines blanked, and the keywords and names that they declare."""
    text = plain_letters(source.text)
    names = known(text)
    source = _without_remarks(source, text, names, reporter)
    text = plain_letters(source.text)
    found: dict[int, tuple[Span, str, str]] = {}  # by line: its place, the same in our notation, and why
    for line in list(_LINE.finditer(text))[:MOST]:
        written = _code(line[0])
        new, why = rewritten(written, names) if len(written) <= LONG else (written, "")
        if why and new.strip():
            found[source.position(line.start())[0]] = (Span(line.start(), line.start() + len(written)), new, why)
    if not found:
        return source, frozenset()
    wrong = _wrong_lines(source, parse)
    found = {at: one for at, one in found.items() if at in wrong or one[2] not in CAREFUL}
    tried = Source(_replaced(source.text, [(span, new) for span, new, _ in found.values()]), source.name)
    trial = Reporter()
    syntax = parse(tried, trial)
    still = {tried.position(d.span.start)[0] for d in trial.errors}
    good = {at: one for at, one in found.items() if at not in still}
    for span, new, why in good.values():
        reporter.add(mistakes.notation.strange(why, source.text[span.start : span.end], new, span))
    blank = _replaced(source.text, [(span, " " * (span.end - span.start)) for span, _, _ in good.values()])
    return replace(source, text=blank), frozenset(_declared(syntax, {*good}, tried))


def _code(line: str) -> str:
    """A line without its comment; '#' in a text in quotes does not start one."""
    found = _CODE.match(line)
    return found[0].rstrip() if found else line


def _without_remarks(source: Source, text: str, names: Known, reporter: Reporter) -> Source:
    """The text without lines that have no counterpart, each kind reported once."""
    lines = [(line, _code(line[0])) for line in list(_LINE.finditer(text))[:MOST]]
    edits: list[tuple[Span, str]] = []
    broken = False  # whether the line above belongs to a formula that was broken into lines
    for line, written in lines:
        found = next(
            (one for one in REMARKS if len(written) <= LONG and re.search(one[0], _TEXT.sub('""', written))), None
        )
        weak = found is REMARKS[0]
        if weak and not {*re.findall(r"(?:grad|nabla)\(?\s*(\w+)", written)} - {*names.functions, "diff"}:
            found = None
        rest = broken and written.lstrip().startswith("∂") and "/" not in written
        broken = rest or found is REMARKS[-1]
        if found is None and not rest:
            continue
        span = Span(line.start() + len(written) - len(written.lstrip()), line.start() + len(written))
        edits.append((span, " " * (span.end - span.start)))
        if found is not None and not (rest and found is REMARKS[-1]):
            reporter.add(mistakes.notation.remark(found[1], found[2], span))
    return replace(source, text=_replaced(source.text, edits)) if edits else source


def _wrong_lines(source: Source, parse: Parse) -> set[int]:
    reporter = Reporter()
    parse(source, reporter)
    return {source.position(d.span.start)[0] for d in reporter.errors}


def _replaced(text: str, edits: list[tuple[Span, str]]) -> str:
    for span, new in reversed(edits):
        text = text[: span.start] + new + text[span.end :]
    return text


def _declared(syntax: t.Syntax, lines: set[int], source: Source) -> set[str]:
    """The keywords and names of declarations that start on these lines."""
    lost: set[str] = set()
    for statement in syntax.statements:
        if source.position(statement.span.start)[0] in lines:
            match statement:
                case t.SpaceDecl(names=names):
                    lost |= {"SPACE", *(name.id for name in names)}
                case t.TimeDecl(name=name):
                    lost |= {"TIME", name.id}
                case t.UnknownDecl(name=name) | t.LearnDecl(name=name) | t.ConstDecl(name=name) | t.LetDecl(name=name):
                    lost.add(name.id)
    return lost
