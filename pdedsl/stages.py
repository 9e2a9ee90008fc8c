"""The stages of the compiler as stable text, for `pdedsl compile --emit`."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from pdedsl.compiler import bounded, to_analysis, to_compilation, to_spec, to_syntax
from pdedsl.diagnostics import PdeError, Source


class Stage(StrEnum):
    SYNTAX = "syntax"
    SPEC = "spec"
    CANONICAL = "canonical"
    LATEX = "latex"
    ANALYSIS = "analysis"
    REPRESENTATION = "representation"
    PLAN = "plan"
    PYTHON = "python"


def stage_text(source: Source, stage: Stage) -> str:
    """A stage of the compiler, after all that come before it."""
    from pdedsl.explanation.show import noun_text, spec_text
    from pdedsl.frontend.syntax.tree import outline

    match stage:
        case Stage.SYNTAX:
            return outline(to_syntax(source), source)
        case Stage.SPEC:
            spec = to_spec(source)
            return bounded(spec, lambda: spec_text(spec))
        case Stage.CANONICAL:
            spec = to_spec(source)
            return bounded(spec, lambda: spec.canonical)
        case Stage.LATEX:
            return to_spec(source).latex + "\n"
        case Stage.ANALYSIS:
            analysis = to_analysis(to_spec(source))
            return noun_text(analysis.equations) + noun_text(analysis.axioms)
        case Stage.REPRESENTATION:
            return noun_text(to_compilation(source).representation)
        case Stage.PLAN:
            compilation = to_compilation(source)
            operator = compilation.operator_plan
            return noun_text(compilation.plan) + ("" if isinstance(operator, PdeError) else noun_text(operator))
        case Stage.PYTHON:
            return to_compilation(source).python()
        case _:
            assert_never(stage)
