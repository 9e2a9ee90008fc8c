"""The stages of the compiler as stable text, for `pdedsl compile --emit`."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from pdedsl.compiler import compiled, concluded, to_analysis, to_spec, to_syntax
from pdedsl.diagnostics import PdeError, Source
from pdedsl.quoting import as_json
from pdedsl.reporting import bounded

if TYPE_CHECKING:
    from pdedsl.compilation import Compilation
    from pdedsl.ir.analysis import Analysis
    from pdedsl.ir.spec import Spec


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


class Stages:
    """The stages of one source. What several of them need is computed once."""

    def __init__(self, source: Source, trust: bool = False) -> None:
        self._source, self._trust = source, trust

    @cached_property
    def _spec(self) -> Spec:
        return to_spec(self._source)

    @cached_property
    def _analysis(self) -> Analysis:
        return to_analysis(self._spec)

    @cached_property
    def _compilation(self) -> Compilation:
        return compiled(concluded(self._analysis), self._trust)

    def text(self, stage: Stage) -> str:
        """The result of a stage, run after all earlier ones, as text."""
        from pdedsl.explanation.show import noun_text, spec_text
        from pdedsl.frontend.syntax.tree import outline

        match stage:
            case Stage.SYNTAX:
                return outline(to_syntax(self._source), self._source)
            case Stage.SPEC:
                return bounded(self._spec, lambda: spec_text(self._spec))
            case Stage.CANONICAL:
                return bounded(self._spec, lambda: self._spec.canonical)
            case Stage.GRAPH:
                return bounded(self._spec, self._graph)
            case Stage.LATEX:
                return self._spec.latex + "\n"
            case Stage.ANALYSIS:
                return noun_text(self._analysis.equations) + noun_text(self._analysis.axioms)
            case Stage.REPRESENTATION:
                return noun_text(self._compilation.representation)
            case Stage.PLAN:
                operator = self._compilation.operator_plan
                refused = isinstance(operator, PdeError)
                return noun_text(self._compilation.plan) + ("" if refused else noun_text(operator))
            case Stage.PYTHON:
                return self._compilation.python()
            case _:
                assert_never(stage)

    def _graph(self) -> str:
        from pdedsl.ir.graph import graph_of

        return as_json(graph_of(self._spec.canonical).as_dict() | {"hash": self._spec.hash}) + "\n"
