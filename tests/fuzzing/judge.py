"""One text through every stage, and what is wrong with the answer: the faults of the compiler, not of the text."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

import pdedsl
from pdedsl.compiler import examine, format_source, to_compilation, to_spec
from pdedsl.diagnostics import PdeError, Source, report
from pdedsl.explain.explain import explain_json, explain_latex, explain_markdown, explain_text
from pdedsl.quoting import as_json
from pdedsl.sources import decode
from pdedsl.stages import Stage, stage_text

OURS = str(Path(pdedsl.__file__).parent)


@dataclass(frozen=True)
class Fault:
    """What went wrong, and where: two texts that show the same fault count as one."""

    kind: str
    place: str
    more: str = ""


class Wrong(Exception):
    """An answer that breaks a promise."""


def judged(text: str | bytes) -> Fault | None:
    """The fault that a text shows."""
    try:
        source = decode(text, "bytes") if isinstance(text, bytes) else Source(text)
        _read(source)
        _compiled(source)
    except PdeError as error:
        return _inside(error)
    except Exception as error:
        return _fault(error)
    return None


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


def _read(source: Source) -> None:
    """Formatting what can be read is a fixed point, in both spellings, and keeps the hash."""
    formatted = {ascii: format_source(source, ascii) for ascii in (False, True)}
    for ascii, text in formatted.items():
        if (
            _must(lambda text=text, ascii=ascii: format_source(Source(text), ascii), "formatting refuses itself")
            != text
        ):
            raise Wrong("formatting is no fixed point", text)
    spec = to_spec(source)
    for text in formatted.values():
        if _must(lambda text=text: to_spec(Source(text)).hash, "what was formatted is refused") != spec.hash:
            raise Wrong("formatting changes the hash", text)
    for stage in (Stage.SPEC, Stage.LATEX):
        stage_text(source, stage)


def _must(work, complaint: str):  # type: ignore[no-untyped-def]
    try:
        return work()
    except PdeError as error:
        raise Wrong(complaint, str(error)[:300]) from None


def _compiled(source: Source) -> None:
    examined = examine(source)
    report(source, examined.diagnostics)
    for shown in (explain_text, explain_markdown):
        shown(examined.analysis, [])
    explain_latex(examined.analysis)
    as_json(explain_json(examined.analysis, []))
    if examined.planned is None or examined.errors:
        return
    compilation = to_compilation(source)
    for name, text in compilation.files().items():
        if name.endswith(".py"):
            try:
                compile(text, name, "exec")
            except (SyntaxError, ValueError) as error:
                raise Wrong(f"{name} does not compile", str(error)) from None
    for stage in (Stage.REPRESENTATION, Stage.PLAN):
        stage_text(source, stage)
