"""The pipeline: Source → Syntax → Spec → Analysis → Representation → Plan → Program → modules.

Stages behind the analysis are imported when they are used, so that `pdedsl format` starts at once; only modules take
torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pdedsl import mistakes
from pdedsl.compilation import Compilation, Examination, Planned
from pdedsl.deep import deeply
from pdedsl.diagnostics import PdeError, Reporter, Source, in_order
from pdedsl.frontend.elaborate.elaborate import elaborate
from pdedsl.frontend.syntax.parse import parse_syntax
from pdedsl.ir.spec import Spec
from pdedsl.sources import plain, source_of

if TYPE_CHECKING:
    from pdedsl.explanation.explain import Explanation
    from pdedsl.frontend.syntax.tree import Syntax
    from pdedsl.ir.analysis import Analysis

T = TypeVar("T")


def parse(text: str, name: str = "<text>") -> Spec:
    """The meaning of a spec given as text. Raises `PdeError` with every mistake in it."""
    return to_spec(Source(plain(text), name))


def load(spec: Spec | str | Path) -> Spec:
    """The meaning of a spec: a path, the name of a shipped spec, the folder of a run or package, or its text."""
    return spec if isinstance(spec, Spec) else to_spec(source_of(spec))


def explain(spec: Spec | str | Path) -> Explanation:
    """What an equation is, what it becomes, and what can be proved of it; given as for `load`."""
    return explained(load(spec).source)


def compile(spec: Spec | str | Path) -> Compilation:
    """Every stage of a spec, given as for `load`."""
    return compiled(examined(load(spec)))


def format(text: str, ascii: bool = False) -> str:
    """A spec in canonical layout, in Unicode or in ASCII."""
    return format_source(Source(plain(text)), ascii)


# ---- the stages


def to_syntax(source: Source) -> Syntax:
    """What was written, if all of it can be read."""
    return reported(source, lambda reporter: parse_syntax(source, reporter))[0]


def to_spec(source: Source) -> Spec:
    """What was meant, with the warnings that reading it gives."""
    spec, reporter = reported(source, lambda reporter: elaborate(parse_syntax(source, reporter), source, reporter))
    return replace(spec, warnings=in_order(reporter.warnings))


def to_analysis(spec: Spec) -> Analysis:
    """What can be proved of a spec, with the mistakes that only this shows."""
    from pdedsl.analyse.analyse import analyse

    analysis = bounded(spec, lambda: analyse(spec))
    found = (d for d in analysis.diagnostics if not d.is_error)
    return replace(analysis, spec=replace(spec, warnings=in_order((*spec.warnings, *found))))


def to_plan(analysis: Analysis) -> Planned:
    """The theorem that applies, and the network that follows."""
    from pdedsl.lower.lower import lower
    from pdedsl.plan.plan import plan

    def planned() -> Planned:
        representation = lower(analysis)
        return Planned(representation, plan(representation, analysis.spec))

    return bounded(analysis.spec, planned)


def examine(source: Source) -> Examination:
    """A source through analysis and planning, with every mistake that they find: what has none compiles."""
    return examined(to_spec(source))


def examined(spec: Spec) -> Examination:
    """The same of what was read already."""
    analysis = to_analysis(spec)
    wrong = [d for d in analysis.diagnostics if d.is_error]
    found, planned = [*analysis.spec.warnings, *wrong], None
    if not wrong:
        try:
            planned = to_plan(analysis)
        except PdeError as error:
            found += error.diagnostics
    return Examination(analysis, planned, in_order(found))


def explained(source: Source) -> Explanation:
    """What `explain` says of a source."""
    from pdedsl.explanation.explain import Explanation

    found = examine(source)
    theorem, plan = (found.planned.representation.theorem, found.planned.model) if found.planned else (None, None)
    return Explanation(found.analysis, theorem, plan, found.errors)


def to_compilation(source: Source) -> Compilation:
    """Every stage of a source that has no mistake."""
    return compiled(examine(source))


def compiled(examination: Examination) -> Compilation:
    """The same of what was examined already."""
    examination.require()
    analysis = examination.analysis
    planned = examination.planned
    assert planned is not None  # without errors there is a plan
    return bounded(analysis.spec, lambda: _emitted(analysis, planned))


def _emitted(analysis: Analysis, planned: Planned) -> Compilation:
    from pdedsl.emit.calls import program_of
    from pdedsl.plan.operator import operator_or_refusal

    operator = operator_or_refusal(planned.representation, analysis.spec)
    plan = None if isinstance(operator, PdeError) else operator
    program = program_of(planned.model, plan, analysis.spec)
    return Compilation(analysis, planned.representation, planned.model, operator, program)


def format_source(source: Source, ascii: bool = False) -> str:
    from pdedsl.frontend.printing.format import format_syntax

    syntax = to_syntax(source)
    return deeply(lambda: format_syntax(syntax, source, ascii))


def bounded(spec: Spec, work: Callable[[], T]) -> T:
    """A stage of a spec; a coefficient beyond all numbers, such as exp(exp(exp(9))), is a mistake in its equations."""

    def stage(_: Reporter) -> T:
        try:
            return work()
        except OverflowError:
            raise mistakes.syntax.too_large(spec.equations[0].span) from None

    return reported(spec.source, stage)[0]


def reported(source: Source, work: Callable[[Reporter], T]) -> tuple[T, Reporter]:
    """A stage on a deep stack. Errors leave with their source, and with the mistakes that were found before them."""
    reporter = Reporter()
    try:
        result = deeply(lambda: work(reporter))
    except PdeError as error:
        if error.source is not None:
            raise
        raise PdeError(in_order((*reporter.errors, *error.diagnostics)), source) from None
    if reporter.errors:
        raise PdeError(in_order(reporter.errors), source)
    return result, reporter
