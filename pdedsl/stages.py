"""The stages of the compiler as stable text, for `pdedsl compile --emit`."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from pdedsl.compiler import to_analysis, to_compilation, to_spec, to_syntax
from pdedsl.diagnostics import PdeError, Source
from pdedsl.quoting import as_json
from pdedsl.reporting import bounded


class Stage(StrEnum):
    SYNTAX = "syntax"
    SPEC = "spec"
    CANONICAL = "canonical"
    GRAPH = "graph"
    LATEX = "latex"
    ANALYSIS = "analysis"
    REPRESENTATION = "representation"
    PLAN = "plan"
    PYTHON = "python"


def stage_text(source: Source, stage: Stage, trust: bool = False) -> str:
    """The result of one stage of the compiler, run after all earlier stages, as text."""
    from pdedsl.explanation.show import noun_text, spec_text
    from pdedsl.frontend.syntax.tree import outline
    from pdedsl.ir.graph import graph_of

    match stage:
        case Stage.SYNTAX:
            return outline(to_syntax(source), source)
        case Stage.SPEC:
            spec = to_spec(source)
            return bounded(spec, lambda: spec_text(spec))
        case Stage.CANONICAL:
            spec = to_spec(source)
            return bounded(spec, lambda: spec.canonical)
        case Stage.GRAPH:
            spec = to_spec(source)
            return bounded(spec, lambda: as_json(graph_of(spec.canonical).as_dict() | {"hash": spec.hash}) + "\n")
        case Stage.LATEX:
            return to_spec(source).latex + "\n"
        case Stage.ANALYSIS:
            analysis = to_analysis(to_spec(source))
            return noun_text(analysis.equations) + noun_text(analysis.axioms)
        case Stage.REPRESENTATION:
            return noun_text(to_compilation(source, trust).representation)
        case Stage.PLAN:
            compilation = to_compilation(source, trust)
            operator = compilation.operator_plan
            return noun_text(compilation.plan) + ("" if isinstance(operator, PdeError) else noun_text(operator))
        case Stage.PYTHON:
            return to_compilation(source, trust).python()
        case _:
            assert_never(stage)
