"""Code lenses: commands above the header of a spec, and class and verdicts above each equation."""

from __future__ import annotations

from collections import Counter

from pdedsl.diagnostics import Span
from pdedsl.editor.document import Document
from pdedsl.explainer.classification import class_text
from pdedsl.ir.spec import SpaceKind, Spec
from pdedsl.record import Record


class CodeLens(Record):
    """A line above a span; `command` is a command of the command line, or empty for information."""

    span: Span
    title: str
    command: str = ""


def code_lenses(document: Document) -> tuple[CodeLens, ...]:
    """The commands that apply to a spec, and of each equation its class; none while the text has an error."""
    analysis = document.analysis
    if analysis is None or document.plan is None:
        return ()
    header = document.syntax.statements[0].span
    commands = [CodeLens(header, command.capitalize(), command) for command in _commands(analysis.spec)]
    counts = Counter(str(verdict.truth) for verdict in analysis.axioms.values())
    verdicts = CodeLens(header, ", ".join(f"{counts[truth]} {truth}" for truth in sorted(counts)))
    classes = (CodeLens(facts.equation.span, class_text(facts, analysis)) for facts in analysis.equations)
    return (*commands, verdicts, *classes)


def _commands(spec: Spec) -> tuple[str, ...]:
    """A boundary value problem is solved, a network trained and tested."""
    if spec.space.kind is SpaceKind.PHYSICAL:
        return ("solve", "draw", "explain")
    return ("train" if spec.train else "test", "draw", "explain")
