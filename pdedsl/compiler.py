"""The pipeline: Source → Syntax → Spec → Analysis → Representation → Plan → Program → modules.

Stages after the analysis are imported when they are used, so that `pdedsl format` starts quickly; only building modules
imports torch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pdedsl.compilation import Compilation, Examination, Planned
from pdedsl.data_shapes import sized
from pdedsl.diagnostics import PdeError, Reporter, Source, in_order
from pdedsl.frontend.elaborate.elaborate import elaborate
from pdedsl.frontend.syntax.parse import parse_syntax
from pdedsl.frontend.syntax.strange import read
from pdedsl.ir.spec import Spec
from pdedsl.reporting import bounded, reported

if TYPE_CHECKING:
    from pdedsl.frontend.syntax.tree import Syntax
    from pdedsl.ir.analysis import Analysis


def to_syntax(source: Source) -> Syntax:
    """The syntax tree; raises every mistake if some of the text cannot be parsed."""
    return reported(source, lambda reporter: read(source, reporter, lambda syntax, _: syntax))[0]


def to_spec(source: Source, parse: Callable[[Source, Reporter], Syntax] = parse_syntax) -> Spec:
    """The meaning of the text, with the warnings found while reading it."""

    def meaning(syntax: Syntax, reporter: Reporter) -> Spec:
        return elaborate(syntax, source, reporter)

    spec, reporter = reported(source, lambda reporter: read(source, reporter, meaning, parse))
    return replace(spec, warnings=in_order(reporter.warnings))


def to_analysis(spec: Spec) -> Analysis:
    """What can be proved about a spec, with the mistakes that only the analysis reveals."""
    from pdedsl.analyse.analyse import analyse

    return with_warnings(bounded(spec, lambda: analyse(spec)))


def with_warnings(analysis: Analysis) -> Analysis:
    """The analysis, its spec carrying the warnings of the analysis in addition to those of reading."""
    spec, found = analysis.spec, (d for d in analysis.diagnostics if not d.is_error)
    return replace(analysis, spec=replace(spec, warnings=in_order((*spec.warnings, *found))))


def to_plan(analysis: Analysis) -> Planned:
    """The theorem that applies, and the network that follows from it."""
    from pdedsl.lower.lower import lower
    from pdedsl.lower.truncated import reference_of
    from pdedsl.plan.plan import plan

    def planned() -> Planned:
        representation = lower(analysis)
        return Planned(representation, plan(representation, analysis.spec, reference_of(analysis)))

    return bounded(analysis.spec, planned)


def examined(spec: Spec, data: Path | None = None) -> Examination:
    """The analysis and plan of a spec, with every mistake they find: a spec without mistakes compiles. `data` is the
    folder of data sets, which determine the dimension of R^d."""
    return concluded(to_analysis(spec), data)


def concluded(analysis: Analysis, data: Path | None = None) -> Examination:
    """Like `examined`, for a spec that is already analysed."""
    wrong = [d for d in analysis.diagnostics if d.is_error]
    found, planned = [*analysis.spec.warnings, *wrong], None
    if not wrong:
        try:
            analysis = replace(analysis, spec=bounded(analysis.spec, lambda: sized(analysis.spec, data)))
            planned = to_plan(analysis)
        except PdeError as error:
            found += error.diagnostics
    return Examination(analysis, planned, in_order(found))


def compiled(examination: Examination, trust: bool = False) -> Compilation:
    """Every stage of a spec without mistakes. `trust` allows importing the user's own networks that the spec names."""
    from pdedsl.emit.calls import program_of
    from pdedsl.importing import imported
    from pdedsl.plan.operator import operator_or_refusal

    analysis, planned = examination.analysis, examination.sound()
    spec = bounded(analysis.spec, lambda: imported(analysis.spec, planned.model, trust))
    if spec is not analysis.spec:  # now with the number of residual maps in the user's own networks
        analysis = replace(analysis, spec=spec)
        planned = to_plan(analysis)

    def emitted() -> Compilation:
        operator = operator_or_refusal(planned.representation, analysis.spec)
        program = program_of(planned.model, None if isinstance(operator, PdeError) else operator, analysis.spec)
        return Compilation(analysis, planned.representation, planned.model, operator, program)

    return bounded(analysis.spec, emitted)


def examine(source: Source, data: Path | None = None) -> Examination:
    return examined(to_spec(source), data)


def to_compilation(source: Source, trust: bool = False, data: Path | None = None) -> Compilation:
    return compiled(examine(source, data), trust)
