"""report.md and report.json of a solution: what was solved and how, how far it can be trusted, with pictures."""

from __future__ import annotations

from math import isfinite, isnan
from pathlib import Path

from pdedsl.diagnostics.escaping import as_json, literal
from pdedsl.explainer.describe import method_lines, statement_lines
from pdedsl.io import replace_text
from pdedsl.runs.document import Code, Element, Heading, Items, Paragraph, Picture, Table, markdown
from pdedsl.solvers.error_estimate import ErrorEstimate, Verdict
from pdedsl.solvers.solution import Solution

REPORT, FIGURES = "report.md", "report.json"
PICTURES = {
    "solution.png": "The solution",
    "error.png": "The distance to the reference",
    "residual.png": "The residual of the equations",
    "animation.gif": "The solution in time",
    "curves.png": "The loss over the steps",
}
SAID = {
    Verdict.HOLDS: "Every residual is small, and so is the distance to the reference where there is one.",
    Verdict.FAILS: "This is not a solution.",
    Verdict.DISAGREES: "Two methods disagree: at least one of them is wrong.",
}


def write_report(folder: Path, solution: Solution) -> None:
    """Write both files, beside the existing pictures."""
    pictures = [name for name in PICTURES if (folder / name).is_file()]
    replace_text(folder / REPORT, markdown(elements(solution, pictures)))
    replace_text(folder / FIGURES, as_json(figures(solution), indent=2) + "\n")


def elements(solution: Solution, pictures: list[str]) -> list[Element]:
    spec, plan, trust = solution.compilation.spec, solution.plan, solution.trust
    return [
        Heading(spec.name, 1),
        Paragraph(spec.title),
        Code(spec.source.text, "pde"),
        Heading("What may be believed"),
        Paragraph(f"{trust.verdict.value}: {SAID[trust.verdict]} Error: {trust.error}."),
        Items(trust.complaints),
        Table(
            ("distance to", "relative, in L2", "in L1", "largest", "error of the reference", "allowed"),
            tuple(_distances(trust)),
        ),
        Table(
            ("residual of", "where", "rms", "maximum", "rms / terms", "maximum / terms", "points"), tuple(_gaps(trust))
        ),
        Paragraph(_limits_text(trust)),
        Items(trust.notes),
        *(Picture(name, PICTURES[name]) for name in pictures),
        Table(("found", "value", "standard deviation"), tuple(_found(solution))),
        Heading("How it was solved"),
        Items((*statement_lines(plan.statement), *method_lines(plan), *solution.solved.notes)),
        Table(("", ""), tuple(_facts(solution))),
        Heading("How to use it"),
        Code(_usage(solution), "python"),
    ]


def _gaps(trust: ErrorEstimate) -> list[tuple[str, ...]]:
    return [
        (g.text, g.where, f"{g.rms:.1e}", f"{g.maximum:.1e}", f"{g.relative:.1e}", f"{g.worst:.1e}", f"{g.points:,}")
        for g in trust.gaps
    ]


def _distances(trust: ErrorEstimate) -> list[tuple[str, ...]]:
    return [
        (
            c.reference,
            f"{c.distance:.1e}",
            "-" if isnan(c.mean) else f"{c.mean:.1e}",
            "-" if isnan(c.maximum) else f"{c.maximum:.1e}",
            f"{c.error:.1e}",
            f"{c.allowed:.1e}",
        )
        for c in trust.comparisons
    ]


def _or_null(value: float) -> float | None:
    """JSON has no NaN or infinity: they become null."""
    return value if isfinite(value) else None


def _limits_text(trust: ErrorEstimate) -> str:
    if not trust.gaps:
        return ""
    return (
        "Residuals are taken at fresh points, by derivatives of the network itself, and measured by the size of their "
        f"terms: 0 is exact, 1 is no cancellation; allowed is {trust.allowed:.2g}."
    )


def _found(solution: Solution) -> list[tuple[str, ...]]:
    return [
        (name, f"{e.value:.6g}", "-" if e.deviation is None else f"{e.deviation:.1e}")
        for name, e in solution.parameters.items()
    ]


def _facts(solution: Solution) -> list[tuple[str, str]]:
    own = [(name.replace("_", " "), f"{value:.4g}") for name, value in solution.solved.figures.items()]
    numbers = sum(t.numel() for t in solution.module.state_dict().values())
    return [
        *own,
        ("numbers in it", f"{numbers:,}"),
        ("time of solving", f"{solution.seconds:.1f} s"),
        ("hash of the spec", solution.compilation.spec.hash),
    ]


def _usage(solution: Solution) -> str:
    names = ", ".join(map(str, solution.compilation.spec.unknowns[0].arguments))
    size = len(solution.plan.statement.domain.coordinates)
    where = literal(str(solution.folder)) if solution.folder else "folder"
    return f"import pdedsl\n\nsolution = pdedsl.Solution.open({where})\nsolution(points)  # (n, {size}): {names}\n"


def figures(solution: Solution) -> dict[str, object]:
    """The report in machine-readable form."""
    trust, spec = solution.trust, solution.compilation.spec
    return {
        "name": spec.name,
        "hash": spec.hash,
        "method": str(solution.solved.method),
        "verdict": trust.verdict.value,
        "error": {"value": _or_null(trust.error.value), "against": trust.error.against},
        "complaints": list(trust.complaints),
        "comparisons": [
            {
                "reference": c.reference,
                "distance": _or_null(c.distance),
                "maximum": _or_null(c.maximum),
                "error": _or_null(c.error),
                "exact": c.exact,
                "interval": _or_null(c.interval),
                "mean": _or_null(c.mean),
                "components": [list(pair) for pair in c.components],
            }
            for c in trust.comparisons
        ],
        "residuals": [
            {
                "text": g.text,
                "where": g.where,
                "rms": _or_null(g.rms),
                "maximum": _or_null(g.maximum),
                "size": _or_null(g.size),
                "points": g.points,
                "data": _or_null(g.data),
            }
            for g in trust.gaps
        ],
        "parameters": {
            n: {"value": e.value, "deviation": None if e.deviation is None else _or_null(e.deviation)}
            for n, e in solution.parameters.items()
        },
        "figures": dict(solution.solved.figures),
        "notes": list(trust.notes),
        "seconds": solution.seconds,
    }
