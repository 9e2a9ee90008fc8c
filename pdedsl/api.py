"""Public functions of the compiler: parse, load, explain, compile, format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pdedsl.big_stack import run_with_big_stack
from pdedsl.compiler import CheckResult, Compilation, check, check_spec, generate, to_spec, to_syntax
from pdedsl.diagnostics import Source
from pdedsl.ir.spec import Spec
from pdedsl.sources import source_of, without_bom

if TYPE_CHECKING:
    from pdedsl.explainer.explain import Explanation


def parse(text: str, name: str = "<text>") -> Spec:
    """Parses the text of a spec. Raises `PdeError` with all errors."""
    return to_spec(Source(without_bom(text), name))


def load(spec: Spec | str | Path) -> Spec:
    """Loads a spec from a path, the name of a shipped spec, the folder of a run or package, or its text."""
    return spec if isinstance(spec, Spec) else to_spec(source_of(spec))


def explain(spec: Spec | str | Path) -> Explanation:
    """Explains a spec: class of the equation, network or solution method, axioms. The argument is that of `load`."""
    return explain_source(load(spec).source)


def explain_source(source: Source) -> Explanation:
    """Like `explain`, from a source."""
    return explain_result(check(source))


def explain_result(found: CheckResult) -> Explanation:
    """Like `explain`, for the result of a check."""
    from pdedsl.explainer.explain import Explanation

    theorem, plan = (found.planned.representation.theorem, found.planned.model) if found.planned else (None, None)
    return Explanation(found.analysis, theorem, plan, found.errors)


def compile(spec: Spec | str | Path, trust: bool = False, data: str | Path | None = None) -> Compilation:
    """Compiles a spec through all stages. The argument is that of `load`; `trust` allows importing the networks that
    the spec names; `data` is the folder of data sets, which determine the dimension of R^d."""
    return generate(check_spec(load(spec), None if data is None else Path(data)), trust)


def format(text: str, ascii: bool = False) -> str:
    """Formats the text of a spec, in Unicode or ASCII."""
    return format_source(Source(without_bom(text)), ascii)


def format_source(source: Source, ascii: bool = False) -> str:
    """Like `format`, from a source."""
    from pdedsl.language.printing.format import format_syntax

    syntax = to_syntax(source)
    return run_with_big_stack(lambda: format_syntax(syntax, source, ascii))
