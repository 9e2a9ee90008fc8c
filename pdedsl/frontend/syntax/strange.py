"""Lines in the notation of other programs: each is reported once, with the same line in ours.

They are looked for only in a text that has mistakes, so that no correct text is refused because it resembles another
program's. What is shown is tried first: only a line that can be read once it is rewritten is shown so; others keep the
mistakes that they have as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from pdedsl import mistakes
from pdedsl.diagnostics import Diagnostic, PdeError, Reporter, Source, Span, in_order
from pdedsl.frontend.syntax import tree as t
from pdedsl.frontend.syntax.calls import WORD, Known, known
from pdedsl.frontend.syntax.letters import plain_letters
from pdedsl.frontend.syntax.parse import parse_syntax
from pdedsl.frontend.syntax.remarks import REMARKS
from pdedsl.frontend.syntax.rewriting import CAREFUL, numbered, rewritten

_LINE = re.compile(r"[^\r\n]+")
LONG = 300  # characters of a line that is not rewritten
MOST = 2000  # lines that are looked at
_TEXT = re.compile(r'"[^"]*"')
_CODE = re.compile(r'(?:"[^"]*"|[^"#])*')
_DEFINES = re.compile(r"\s*(?:@\w+ )?([\w, ]+)(?:=|$)")  # `V = …`, `@parameters k`
Parse = Callable[[Source, Reporter], t.Syntax]
T = TypeVar("T")


def read(
    source: Source, reporter: Reporter, meaning: Callable[[t.Syntax, Reporter], T], parse: Parse = parse_syntax
) -> T:
    """The meaning of a text; of one with mistakes, what remains of it without the lines of other programs."""
    first = Reporter()
    with first.guard():
        result = meaning(parse(source, first), first)
        if not first.errors:
            reporter.diagnostics += [*first.diagnostics, *_numbers(source)]
            return result
    rest, lost = without_strange_lines(source, reporter, first.errors)
    if not reporter.errors:
        raise PdeError(in_order(first.errors), source)
    syntax = parse(rest, reporter)
    return meaning(replace(syntax, lost=syntax.lost | lost), reporter)


def without_strange_lines(
    source: Source, reporter: Reporter, errors: Sequence[Diagnostic]
) -> tuple[Source, frozenset[str]]:
    """The text with such lines blanked, and the keywords and names that they declare. `errors` are its mistakes as it
    is written: a line without any is ours, as far as there is a space to judge it by."""
    names = known(plain_letters(source.text))
    wrong = _lines_of(errors, source) if names.coordinates else range(MOST)
    source, defined = _without_remarks(source, names, wrong, reporter)
    found: dict[int, tuple[Span, str, str]] = {}  # by line: its place, the same in our notation, and why
    for at, span, written in (line for line in _lines(source) if line[0] in wrong):
        new, why = rewritten(written, names)
        if why and new.strip():
            found[at] = (span, new, why)
    if not found:
        return source, defined
    unread = _lines_of(_parsed(source)[1], source)
    found = {at: one for at, one in found.items() if at in unread or one[2] not in CAREFUL}
    tried = Source(_replaced(source.text, [(span, new) for span, new, _ in found.values()]), source.name)
    syntax, left = _parsed(tried)
    still = _lines_of(left, tried)
    good = {at: one for at, one in found.items() if at not in still}
    for span, new, why in good.values():
        reporter.add(mistakes.notation.strange(why, source.text[span.start : span.end], new, span))
    blank = _replaced(source.text, [(span, " " * (span.end - span.start)) for span, _, _ in good.values()])
    return replace(source, text=blank), defined | _declared(syntax, {*good}, tried)


def _numbers(source: Source) -> Iterator[Diagnostic]:
    """Equations that may carry a number, `Δu = 0 (2.3)`, which is a factor as they are read."""
    names = known(plain_letters(source.text))
    for _, span, written in _lines(source):
        new = numbered(written, names)
        if new != written:
            yield mistakes.notation.numbered(new, span)


def _lines(source: Source) -> Iterator[tuple[int, Span, str]]:
    """The lines that are looked at: number, place and text without the comment; '#' in quotes does not start one."""
    for line in islice(_LINE.finditer(plain_letters(source.text)), MOST):
        found = _CODE.match(line[0])
        written = found[0].rstrip() if found else line[0]
        if len(written) <= LONG:
            yield source.position(line.start())[0], Span(line.start(), line.start() + len(written)), written


def _without_remarks(
    source: Source, names: Known, wrong: Container[int], reporter: Reporter
) -> tuple[Source, frozenset[str]]:
    """The text without lines that have no counterpart, each kind reported once, and the names that they define."""
    defined: set[str] = set()
    edits: list[tuple[Span, str]] = []
    broken = False  # whether the line above belongs to a formula that was broken into lines
    for at, span, written in _lines(source):
        code = _TEXT.sub('""', written) if at in wrong else ""
        found = next((one for one in REMARKS if re.search(one[0], code)), None)
        rest = broken and written.lstrip().startswith("∂") and "/" not in written
        broken = rest or found is REMARKS[-1]
        if found is None and not rest:
            continue
        span = Span(span.start + len(written) - len(written.lstrip()), span.end)
        edits.append((span, " " * (span.end - span.start)))
        if left := _DEFINES.match(written):
            defined |= {*WORD.findall(left[1])} - names.names
        if found is not None and not (rest and found is REMARKS[-1]):
            reporter.add(mistakes.notation.remark(found[1], found[2], span))
    return replace(source, text=_replaced(source.text, edits)) if edits else source, frozenset(defined)


def _parsed(source: Source) -> tuple[t.Syntax, list[Diagnostic]]:
    reporter = Reporter()
    return parse_syntax(source, reporter), reporter.errors


def _lines_of(found: Sequence[Diagnostic], source: Source) -> set[int]:
    return {source.position(d.span.start)[0] for d in found}


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
