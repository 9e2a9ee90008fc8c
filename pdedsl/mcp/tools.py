"""The tools of the server: functions of the text of a spec, with JSON values as results.

Nothing named in a spec is imported, and no file is written.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

from pdedsl.api import explain_result
from pdedsl.compiler import CheckResult, to_compilation
from pdedsl.diagnostics import PdeError, Source, report
from pdedsl.diagnostics.fixes import apply_edits, resolve_edits
from pdedsl.editor.document import Document, analysed
from pdedsl.explainer.explain import facts_json

NAME = "spec.pde"
MAX_FIXES = 20  # applied one after the other, each to the text that the one before has changed
MAX_BUDGET = 300.0  # CPU seconds of one call
Json = dict[str, Any]


def check(spec: str) -> Json:
    """Check the text of a spec.

    The result has `ok`, `report` (the diagnostics as text), `diagnostics` (code, message, hint, line, column, fixes),
    and for a valid spec the class of each equation and a verdict on each property.
    """
    return _checked(analysed(spec, NAME))


def _checked(document: Document) -> Json:
    facts = facts_json(document.examination.analysis) if document.examination is not None else {}
    return {
        "ok": not any(d.is_error for d in document.diagnostics),
        "report": report(document.source, document.diagnostics),
        "diagnostics": [d.as_json(document.source) for d in document.diagnostics],
        **facts,
    }


def fix(spec: str) -> Json:
    """Apply the fixes of errors that have exactly one, and check the result.

    The result has the new `text`, the titles of the `applied` fixes, and the fields of `check`.
    """
    applied: list[str] = []
    document = analysed(spec, NAME)
    while len(applied) < MAX_FIXES:
        single = (d.fixes[0] for d in document.diagnostics if d.is_error and len(d.fixes) == 1)
        fixes = ((one, edits) for one in single if (edits := resolve_edits(document.text, one)))
        fixed = next(fixes, None)
        if fixed is None:
            break
        applied.append(fixed[0].title)
        document = analysed(apply_edits(document.text, fixed[1]), NAME)
    return {"text": document.text, "applied": applied, **_checked(document)}


def explain(spec: str) -> Json:
    """Explain a spec: class of the equation, method with its reason, properties with proofs and counterexamples."""
    document = _valid(spec)
    if not isinstance(document, CheckResult):
        return document
    return explain_result(document).as_dict()


def solve(
    spec: str, tolerance: float | None = None, budget: float = 60.0, points: list[list[float]] | None = None
) -> Json:
    """Solve an initial or boundary value problem.

    `tolerance` is the relative L2 error to reach, `budget` the CPU time in seconds, at most 300; `points` are rows of
    coordinates in the order of the arguments of the unknown. The result has the method, the estimated error with its
    basis, whether the tolerance holds, estimated parameters, and the values at the points.
    """
    if not isinstance(checked := _valid(spec), CheckResult):
        return checked
    import pdedsl

    try:
        with redirect_stdout(io.StringIO()):  # standard output belongs to the protocol
            solution = pdedsl.solve(checked.analysis.spec, tol=tolerance, budget=min(budget, MAX_BUDGET))
            values = None if points is None else solution(points).detach().tolist()
    except (PdeError, ValueError) as error:
        return {"ok": False, "report": str(error)}
    return {
        "ok": True,
        "method": str(solution.result.method),
        "relative_l2_error": solution.error.value,
        "basis": str(solution.error),
        "verdict": solution.verdict.value,
        "seconds": solution.seconds,
        "parameters": {name: [p.value, p.deviation] for name, p in solution.parameters.items()},
        "values": values,
    }


def crosscheck(spec: str) -> Json:
    """Solve by every applicable method, and compare the solutions.

    The result has `agrees`, the relative L2 difference of each pair, and the methods that do not apply, with reasons.
    """
    if not isinstance(checked := _valid(spec), CheckResult):
        return checked
    from pdedsl.solvers.crosscheck import crosscheck_compilation

    try:
        with redirect_stdout(io.StringIO()):
            result = crosscheck_compilation(to_compilation(Source(spec, NAME)), "cpu", lambda _: None)
    except PdeError as error:
        return {"ok": False, "report": str(error)}
    return {
        "ok": True,
        "agrees": result.agrees,
        "methods": [{"name": r.name, "error": r.error, "basis": r.kind} for r in result.results],
        "pairs": [
            {"methods": [p.first, p.second], "difference": p.distance, "tolerance": p.tolerance, "agrees": p.agrees}
            for p in result.pairs
        ],
        "not_applicable": dict(result.not_applicable),
    }


def _valid(spec: str) -> CheckResult | Json:
    """The result of a valid spec, otherwise its diagnostics."""
    document = analysed(spec, NAME)
    if document.examination is None or document.examination.errors:
        return _checked(document)
    return document.examination


TOOLS = (check, fix, explain, solve, crosscheck)
