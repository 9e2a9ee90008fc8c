"""Public functions of the compiler: parse, load, explain, compile, format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pdedsl.compiler import CheckResult, Compilation, check, check_spec, generate, to_spec, to_syntax
from pdedsl.deep_recursion import run_with_big_stack
from pdedsl.diagnostics import Source
from pdedsl.ir.spec import Spec
from pdedsl.sources import source_of, without_bom

if TYPE_CHECKING:
    from pdedsl.explainer.explain import Explanation


def parse(text: str, name: str = "<text>") -> Spec:
    """Parse the text of a spec.

    Args:
        text: the spec.
        name: name of the source in diagnostics.

    Returns:
        `Spec`, with its warnings.

    Raises:
        PdeError: with all errors of the text.

    Example:
        >>> import pdedsl
        >>> text = "pde P\\nspace x in R\\ntime t in [0, 1]\\nunknown u(x, t) : scalar\\n∂u/∂t = Δu\\nu(x, 0) = x\\n"
        >>> pdedsl.parse(text).equations[0].order
        1
    """
    return to_spec(Source(without_bom(text), name))


def load(spec: Spec | str | Path) -> Spec:
    """Load a spec.

    Args:
        spec: path of a `.pde` file, name of a shipped spec, folder of a run or of a compiled package, text of a spec,
            or a `Spec`, which is returned.

    Returns:
        `Spec`, with its warnings.

    Raises:
        PdeError: if the spec has errors.
        OSError: if a file cannot be read.

    Example:
        >>> import pdedsl
        >>> pdedsl.load("heat").title
        'Heat equation on an interval'
    """
    return spec if isinstance(spec, Spec) else to_spec(source_of(spec))


def explain(spec: Spec | str | Path) -> Explanation:
    """Derivation of a network or solver: class of the equation, theorem, properties with proofs, defaults.

    Args:
        spec: as for `load`.

    Returns:
        Explanation, which prints as text and has the methods `markdown()`, `latex()`, `as_dict()` and `svg()`.

    Raises:
        PdeError: if the spec cannot be parsed or elaborated; later errors are part of the explanation.

    Example:
        >>> import pdedsl
        >>> "Feynman-Kac" in str(pdedsl.explain("rotation"))
        True
    """
    return explain_source(load(spec).source)


def explain_source(source: Source) -> Explanation:
    """Like `explain`, from a source."""
    return explain_result(check(source))


def explain_result(result: CheckResult) -> Explanation:
    """Like `explain`, for the result of a check."""
    from pdedsl.explainer.explain import Explanation

    theorem, plan = (result.planned.representation.theorem, result.planned.model) if result.planned else (None, None)
    return Explanation(result.analysis, theorem, plan, result.errors)


def compile(spec: Spec | str | Path, trust: bool = False, data: str | Path | None = None) -> Compilation:
    """Compile a spec through all stages: parse, elaborate, analyze, lower, plan, generate.

    Args:
        spec: as for `load`.
        trust: allow importing the Python modules that the spec names.
        data: folder of data sets, which may determine the dimension of R^d.

    Returns:
        `Compilation` with the result of every stage.

    Raises:
        PdeError: with all errors of the spec.

    Example:
        >>> import pdedsl
        >>> pdedsl.compile("rotation").analysis.axioms["comparison"].truth.value
        'proved'
    """
    return generate(check_spec(load(spec), None if data is None else Path(data)), trust)


def format(text: str, ascii: bool = False) -> str:
    """Format the text of a spec; its hash is preserved.

    Args:
        text: the spec.
        ascii: use ASCII notation instead of Unicode.

    Returns:
        The formatted text.

    Raises:
        PdeError: if the text cannot be parsed.

    Example:
        >>> import pdedsl
        >>> text = "pde P\\nspace x in R\\ntime t in [0,1]\\nunknown u(x,t):scalar\\ndu/dt=laplacian u\\nu(x,0)=x\\n"
        >>> print(pdedsl.format(text).splitlines()[-2])
        ∂u/∂t = Δu
    """
    return format_source(Source(without_bom(text)), ascii)


def format_source(source: Source, ascii: bool = False) -> str:
    """Like `format`, from a source."""
    from pdedsl.language.printing.format import format_syntax

    syntax = to_syntax(source)
    return run_with_big_stack(lambda: format_syntax(syntax, source, ascii))
