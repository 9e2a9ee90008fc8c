"""report.md and report.json of a solution: problem, method, verification and plots."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from pdedsl.diagnostics.escaping import as_json, literal
from pdedsl.document import CodeBlock, Element, Heading, Items, Paragraph, Picture, Table, markdown
from pdedsl.explainer.describe import method_lines, problem_lines
from pdedsl.io import write_text_atomically
from pdedsl.ir.plan import SolvePlan
from pdedsl.solvers.eigen_solution import EigenSolution
from pdedsl.solvers.error_estimate import ErrorEstimate, Verdict
from pdedsl.solvers.grid.grid_result import DISCRETE_RESIDUAL, L1_ERROR, NET_FLUX, TIME_ERROR
from pdedsl.solvers.method_result import TEST_RESIDUAL
from pdedsl.solvers.solution import Solution
from pdedsl.solvers.strategy import Attempt, attempt_row
from pdedsl.symbolic.printing import SUBSCRIPTS

REPORT, REPORT_JSON = "report.md", "report.json"
PLOTS = {
    "solution.png": "Solution",
    "error.png": "Absolute error w.r.t. the reference",
    "residual.png": "PDE residual (Euclidean norm over the equations)",
    "animation.gif": "Solution over time",
    "curves.png": "Training loss",
}
METRIC_NAMES = {  # display names of the entries of `metrics` in report.json
    "n": "Grid points per dimension",
    "nodes": "Interior nodes",
    "elements": "Elements",
    "unknowns": "Degrees of freedom",
    "steps": "Steps",
    "iterations": "Newton iterations",
    "smallest step": "Smallest time step",
    "largest step": "Largest time step",
    TIME_ERROR: "Estimated time-stepping error",
    "error": "Self-convergence: difference to the N/2 grid",
    L1_ERROR: "Relative L1 difference to the N/2 grid",
    DISCRETE_RESIDUAL: "Max residual of the discrete system",
    NET_FLUX: "Net boundary flux / max velocity",
    "loss": "Final training loss",
    "network parameters": "Network parameters",
    "width": "Network width",
    "training residual": "Training residual",
    TEST_RESIDUAL: "Test residual (held-out collocation points)",
}
VERDICTS = {
    Verdict.HOLDS: "Passed.",
    Verdict.FAILS: "Failed: an equation, a condition or the exact solution is not satisfied within its tolerance.",
    Verdict.DISAGREES: "Failed: the solution and its reference disagree.",
    Verdict.INACCURATE: "Not met: the estimated error exceeds the requested tolerance.",
}


def write_report(folder: Path, solution: Solution) -> None:
    """Writes both files; the report includes the existing plots."""
    pictures = [name for name in PLOTS if (folder / name).is_file()]
    write_text_atomically(folder / REPORT, markdown(report_elements(solution, pictures)))
    write_text_atomically(folder / REPORT_JSON, as_json(report_json(solution), indent=2) + "\n")


def report_elements(solution: Solution, pictures: list[str]) -> list[Element]:
    spec, plan, error_estimate = solution.compilation.spec, solution.compilation.plan, solution.error_estimate
    methods = method_lines(plan) if isinstance(plan, SolvePlan) else []
    ansatz = plan.ansatz if isinstance(plan, SolvePlan) else ()
    return [
        Heading(spec.name, 1),
        Paragraph(spec.title),
        CodeBlock(spec.source.text, "pde"),
        Heading("Verification"),
        Paragraph(_verdict_text(error_estimate, bool(solution.result.eigenvalues))),
        Paragraph(f"Error estimate: {error_estimate.error}; requested tolerance: {error_estimate.requested:.1e}."),
        Items(error_estimate.failures),
        Table(
            ("Reference", "Relative L2 error", "Relative L1 error", "Max error", "Error of the reference", "Tolerance"),
            tuple(_comparison_rows(error_estimate)),
        ),
        Table(
            ("Residual of", "Where", "RMS", "Max", "Relative RMS", "Relative max", "Points"),
            tuple(_residual_rows(error_estimate)),
        ),
        Paragraph(_residual_text(error_estimate)),
        Items(error_estimate.notes),
        *(Picture(name, PLOTS[name]) for name in pictures),
        Table(("Eigenvalue", "Value", "Estimated error", "Residual bound"), tuple(_eigenvalue_rows(solution))),
        Table(("Parameter", "Estimate", "Standard deviation"), tuple(_parameter_rows(solution))),
        Heading("Method"),
        Items(
            (
                *problem_lines(solution.problem),
                *methods,
                *(note for note in solution.result.notes if note not in ansatz),
            )
        ),
        Table(("", ""), tuple(_metric_rows(solution))),
        Heading("Attempts"),
        Table(ATTEMPT_COLUMNS, tuple(map(attempt_cells, solution.attempts))),
        Heading("Usage"),
        CodeBlock(_usage(solution), "python"),
    ]


def _residual_rows(error_estimate: ErrorEstimate) -> list[tuple[str, ...]]:
    return [
        (
            g.text,
            g.where,
            f"{g.rms:.1e}",
            f"{g.maximum:.1e}",
            f"{g.relative_rms:.1e}",
            f"{g.relative_max:.1e}",
            f"{g.points:,}",
        )
        for g in error_estimate.residual_norms
    ]


def _comparison_rows(error_estimate: ErrorEstimate) -> list[tuple[str, ...]]:
    return [
        (
            c.reference,
            f"{c.distance:.1e}",
            "-" if isnan(c.mean) else f"{c.mean:.1e}",
            "-" if isnan(c.maximum) else f"{c.maximum:.1e}",
            "-" if isnan(c.error) else f"{c.error:.1e}",
            f"{c.tolerance:.1e}",
        )
        for c in error_estimate.comparisons
    ]


ATTEMPT_COLUMNS = ("Method", "Estimated error", "Estimates", "CPU time", "Outcome")


def attempt_cells(attempt: Attempt) -> tuple[str, ...]:
    """Method with its size, error, error estimates by kind, CPU time, and outcome."""
    estimates = ", ".join(f"{kind} {value:.1e}" for kind, value in attempt.estimates.items())
    error = f"{attempt.error:.1e}" if isfinite(attempt.error) else "-"
    return attempt.method, error, estimates or "-", f"{attempt.cpu_seconds:.2f} s", attempt.outcome


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """JSON has no NaN or infinity: they become null."""
    return {key: None if isinstance(value, float) and not isfinite(value) else value for key, value in row.items()}


def _verdict_text(error_estimate: ErrorEstimate, is_eigenproblem: bool) -> str:
    """Verdict and its criteria."""
    if is_eigenproblem:
        return VERDICTS[error_estimate.verdict]
    judged_error = (
        [f"the relative rms residual (≤ {error_estimate.tolerance:.2g})"] if error_estimate.residual_norms else []
    )
    if error_estimate.comparisons:
        judged_error.append(
            f"the relative {'L1' if any(not isnan(c.mean) for c in error_estimate.comparisons) else 'L2'} error"
        )
    elif error_estimate.internal is not None:
        judged_error.append(f"the estimated error (≤ {error_estimate.requested:.2g})")
    criteria = f" Judged by {' and '.join(judged_error)}; maxima are reported but not judged." if judged_error else ""
    return f"{VERDICTS[error_estimate.verdict]}{criteria}"


def _residual_text(error_estimate: ErrorEstimate) -> str:
    if not error_estimate.residual_norms:
        return ""
    return (
        "Residuals are evaluated at held-out points by automatic differentiation of the solution, and given relative "
        "to the magnitude of their individual terms (1 = 100 %). Tolerance of the relative rms: "
        f"{error_estimate.tolerance:.2g}."
    )


def _eigenvalue_rows(solution: Solution) -> list[tuple[str, ...]]:
    if not isinstance(solution, EigenSolution):
        return []
    name, texts = solution.compilation.spec.eigenvalue, solution.value_texts
    assert name is not None
    return [
        (
            f"{name.name}{str(k).translate(SUBSCRIPTS)}",
            text,
            f"{e.error:.1e}",
            "-" if e.bound is None else f"{e.bound:.1e}",
        )
        for k, (text, e) in enumerate(zip(texts, solution.estimates, strict=True), 1)
    ]


def _parameter_rows(solution: Solution) -> list[tuple[str, ...]]:
    return [
        (name, f"{e.value:.6g}", "-" if e.deviation is None else f"{e.deviation:.1e}")
        for name, e in solution.parameters.items()
    ]


def _metric_rows(solution: Solution) -> list[tuple[str, str]]:
    own = [
        (METRIC_NAMES.get(name, name.capitalize()), f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}")
        for name, value in solution.result.metrics.items()
    ]
    numbers = sum(t.numel() for t in solution.module.state_dict().values())
    return [
        *own,
        ("Parameters", f"{numbers:,}"),
        ("Solve time", f"{solution.seconds:.1f} s"),
        ("Spec hash", solution.compilation.spec.hash),
    ]


def _usage(solution: Solution) -> str:
    names = ", ".join(map(str, solution.compilation.spec.unknowns[0].arguments))
    size = len(solution.problem.domain.coordinates)
    where = literal(str(solution.folder)) if solution.folder else "folder"
    return f"import pdedsl\n\nsolution = pdedsl.Solution.open({where})\nsolution(points)  # (n, {size}): {names}\n"


def report_json(solution: Solution) -> dict[str, object]:
    """The report in machine-readable form."""
    error_estimate, spec = solution.error_estimate, solution.compilation.spec
    return {
        "format": 3,  # 2: other names of metrics, see METRIC_RENAMES; 1, without this entry: failures were complaints
        "name": spec.name,
        "hash": spec.hash,
        "method": str(solution.result.method),
        "verdict": error_estimate.verdict.value,
        "error": _plain(asdict(error_estimate.error)),
        "failures": list(error_estimate.failures),
        "comparisons": [_plain(asdict(c)) for c in error_estimate.comparisons],
        "residuals": [_plain(asdict(r)) for r in error_estimate.residual_norms],
        "eigenvalues": [
            {"real": e.value.real, "imaginary": e.value.imag, "error": e.error, "bound": e.bound}
            for e in solution.result.eigenvalues
        ],
        "parameters": {n: _plain(asdict(e)) for n, e in solution.parameters.items()},
        "metrics": dict(solution.result.metrics),
        "notes": list(error_estimate.notes),
        "tolerance": error_estimate.requested,
        "attempts": list(map(attempt_row, solution.attempts)),
        "seconds": solution.seconds,
    }
