"""One text through every stage, and the faults of the compiler, not of the text."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pdedsl
from pdedsl.compiler import CheckResult, Compilation, check_spec, generate, run_bounded, run_stage, to_spec, to_syntax
from pdedsl.deep_recursion import run_with_big_stack
from pdedsl.diagnostics import PdeError, Reporter, Source, report, sort_diagnostics
from pdedsl.diagnostics.escaping import as_json
from pdedsl.explainer.explain import Explanation
from pdedsl.explainer.stage_text import noun_text, spec_text
from pdedsl.ir.spec import Spec
from pdedsl.language.ast import Syntax
from pdedsl.language.elaborate.elaborate import elaborate
from pdedsl.language.parser import parse_syntax
from pdedsl.language.printing.format import format_syntax
from pdedsl.sources import decode_source

T = TypeVar("T")
OURS = str(Path(pdedsl.__file__).parent)


@dataclass(frozen=True)
class Fault:
    """What went wrong, and where: two texts that show the same fault count as one."""

    kind: str
    place: str
    more: str = ""


class Wrong(Exception):
    """An answer that breaks a promise."""


@dataclass(frozen=True)
class Judgement:
    fault: Fault | None
    emitted: bool = False  # whether it was planned, and, unless checked only, its files written and compiled


def judged(text: str | bytes, check_only: bool = False) -> Judgement:
    """The faults of a text in every stage, or in those of `pdedsl check`."""
    return run_with_big_stack(lambda: _judged(text, check_only))  # one thread for all of its stages


def _judged(text: str | bytes, check_only: bool) -> Judgement:
    try:
        source = decode_source(text, "bytes") if isinstance(text, bytes) else Source(text)
        return Judgement(None, _checked(source) if check_only else _compiled(_read(source)))
    except PdeError as error:
        return Judgement(_inside(error))
    except Exception as error:
        return Judgement(_fault(error))


def _fault(error: Exception) -> Fault:
    if isinstance(error, Wrong):
        return Fault("promise", str(error.args[0]), str(error.args[1:]))
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(OURS)]
    last = frames[-1] if frames else None
    place = f"{Path(last.filename).relative_to(OURS)}:{last.name}" if last else "?"
    return Fault(type(error).__name__, place, str(error)[:200])


def _inside(error: PdeError) -> Fault | None:
    """Diagnostics are there, have a message, point into their text, and can be shown."""
    source = error.source
    if source is None or not error.diagnostics:
        return Fault("promise", "an error without a diagnostic", str(error)[:200])
    for d in error.diagnostics:
        places = (d.span, *(span for span, _ in d.notes))
        if not d.message or not all(0 <= s.start <= s.end <= len(source.text) for s in places):
            return Fault("promise", "a place outside the text", str(d)[:200])
    try:
        report(source, error.diagnostics)
    except Exception as fault:
        return _fault(fault)
    return None


def _checked(source: Source) -> bool:
    """The stages of `pdedsl check`; whether the spec is planned without an error."""
    examination = check_spec(to_spec(source))
    report(source, examination.diagnostics)
    return examination.planned is not None and not examination.errors


def _read(source: Source) -> Spec:
    """The spec and all of its errors. Formatting is idempotent and preserves the hash, in both spellings."""
    spec, _ = run_stage(source, lambda reporter: _meant(source, reporter))
    run_bounded(spec, lambda: (spec_text(spec), spec.latex))
    return spec


def _meant(source: Source, reporter: Reporter) -> Spec:
    syntax = parse_syntax(source, reporter)
    formatted = {} if reporter.errors else _formatted(syntax, source)
    spec = elaborate(syntax, source, reporter)
    for text, read in formatted.items() if not reporter.errors else ():
        if _hash_again(read, Source(text)) != spec.hash:
            raise Wrong("formatting changes the hash", text)
    return replace(spec, warnings=sort_diagnostics(reporter.warnings))


def _hash_again(syntax: Syntax, source: Source) -> str:
    def meaning() -> Spec:
        return run_stage(source, lambda reporter: elaborate(syntax, source, reporter))[0]

    return _must(meaning, "the formatted text is refused").hash


def _formatted(syntax: Syntax, source: Source) -> dict[str, Syntax]:
    """Both spellings, as they are read again."""
    found = {}
    for ascii in (False, True):
        text = format_syntax(syntax, source, ascii)
        if text not in (source.text, *found):
            found[text] = _read_again(Source(text), ascii)
    return found


def _read_again(source: Source, ascii: bool) -> Syntax:
    syntax = _must(lambda: to_syntax(source), "formatting refuses itself")
    if format_syntax(syntax, source, ascii) != source.text:
        raise Wrong("formatting is no fixed point", source.text)
    return syntax


def _must(work: Callable[[], T], complaint: str) -> T:
    try:
        return work()
    except PdeError as error:
        raise Wrong(complaint, str(error)[:300]) from None


def _compiled(spec: Spec) -> bool:
    examination = check_spec(spec)
    report(spec.source, examination.diagnostics)
    planned = examination.planned
    theorem, plan = (planned.representation.theorem, planned.model) if planned else (None, None)
    explanation = Explanation(examination.analysis, theorem, plan, examination.errors)
    str(explanation), explanation.markdown(), explanation.latex(), as_json(explanation.as_dict())
    if examination.planned is None or examination.errors:
        return False
    compilation = _right(examination)
    for name, text in compilation.files().items():
        if name.endswith(".py"):
            _compiles(text, name)
    noun_text(compilation.representation)
    noun_text(compilation.plan)
    return True


def _right(examination: CheckResult) -> Compilation:
    """What `check` calls right compiles, unless it names a network of the user's own, which is not trusted here."""
    try:
        return generate(examination)
    except PdeError as error:
        if {d.code for d in error.diagnostics} == {"E614"}:
            raise
        raise Wrong("right for check, and refused by compile", str(error)[:300]) from None


def _compiles(text: str, name: str) -> None:
    try:
        compile(text, name, "exec")
    except (SyntaxError, ValueError) as error:
        raise Wrong(f"{name} does not compile", str(error)) from None
