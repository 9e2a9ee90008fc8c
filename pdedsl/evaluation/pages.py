"""Evaluation report as files: report.json (machine-readable), report.md and report.html."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pdedsl.config.evaluation import Norm
from pdedsl.diagnostics import escaping
from pdedsl.document import Code, Element, Heading, Items, Paragraph, Picture, Table, markdown, page
from pdedsl.evaluation.report import (
    CertifiedAccuracy,
    CleanMetrics,
    MaskingVerdict,
    RademacherComplexity,
    Report,
    RobustAccuracy,
    WeightMagnitudes,
)
from pdedsl.io import write_text_atomically

INTERVAL = "95 % Clopper-Pearson confidence intervals"
RADII = {
    "cohen": "Cohen et al. 2019",
    "lipschitz": "Lipschitz bound of the smoothed classifier",
    "paper": "Wang, Tao, Bao and Shi, Theorem 3.1",
    "constant": "Lipschitz constant",
}
"""Sources of the certified radii, by their names in report.json."""


def write_pages(report: Report, folder: Path) -> None:
    """Write report.json, report.md and report.html into the folder of the plots."""
    elements = document(report)
    write_text_atomically(folder / "report.json", escaping.as_json(report.plain(), indent=1) + "\n")
    write_text_atomically(folder / "report.md", markdown(elements))
    write_text_atomically(folder / "report.html", page(report.name, elements, folder))


def document(report: Report) -> list[Element]:
    """The report in reading order: model, clean, robust and certified accuracy, plots, commands."""
    return [
        Heading(report.name, 1),
        Paragraph(report.title),
        Code(report.equation, "pde") if report.equation else Paragraph(""),
        Table(("", ""), tuple(_facts(report))),
        Items(report.notes),
        *_section("Properties of the equation", Table(("Axiom", "Verdict"), report.axioms)),
        Heading("Clean accuracy"),
        *_clean(report.clean),
        *_section("Robust accuracy", robust_table(report.robust), Items(_range_notes(report.robust))),
        *_section("Gradient-masking audit", *_audits(report.doubts)),
        *_section("Transfer attacks", _transfers(report)),
        *(element for certified in report.certified for element in _certified(certified)),
        *_section("Weight magnitudes", *([] if report.weights is None else [_weights(report.weights)])),
        *_section("Rademacher complexity", *([] if report.complexity is None else _complexity(report.complexity))),
        *(Picture(file, caption) for file, caption in report.pictures),
        *_section("Reproduce this report", *(Code(command, "sh") for command in report.commands)),
    ]


def _section(title: str, *elements: Element) -> list[Element]:
    """A heading with its content, or nothing if there is no content."""
    return [Heading(title), *elements] if any(map(_has_content, elements)) else []


def _has_content(element: Element) -> bool:
    match element:
        case Table(rows=content) | Items(texts=content) | Paragraph(text=content):
            return bool(content)
        case _:
            return True


def _facts(report: Report) -> list[tuple[str, str]]:
    facts = [
        ("Data set", report.data),
        ("Test samples", f"{report.samples:,}"),
        ("Parameters", f"{report.parameters:,}"),
        ("Seed", str(report.seed)),
        ("Spec hash", report.hash),
    ]
    return [(name, value) for name, value in facts if value]


def _clean(clean: CleanMetrics) -> list[Element]:
    facts = (
        ("Accuracy", str(clean.accuracy)),
        ("Cross-entropy (mean, nats)", f"{clean.loss:.4f}"),
        ("Expected calibration error (10 bins)", f"{clean.calibration:.3f}"),
    )
    intervals = f"Accuracies with {INTERVAL} in brackets, n = {clean.accuracy.n:,} test samples."
    return [Table(("", ""), facts), Paragraph(intervals)]


def robust_table(robust: Sequence[RobustAccuracy]) -> Table:
    """One row per attack, with the verdict of the gradient-masking audit in its norm."""
    rows = tuple(
        (r.attack, _norm(r.norm), str(r.accuracy), _length(r.distance), str(r.draws), f"{r.passes:.0f}", r.doubt)
        for r in robust
    )
    head = ("Attack", "Norm", "Robust accuracy [95 % CI]", "Median distance", "Noise samples per prediction")
    return Table((*head, "Forward and backward passes per sample", "Gradient-masking audit"), rows)


def _range_notes(robust: Sequence[RobustAccuracy]) -> tuple[str, ...]:
    return tuple(
        f"{r.attack}: {100 * min(r.seeds):.1f} to {100 * max(r.seeds):.1f} % for the {len(r.seeds)} seeds separately; "
        "robust accuracy is the worst case over the seeds, per sample"
        for r in robust
        if len(r.seeds) > 1
    )


def _audits(verdicts: Sequence[MaskingVerdict]) -> list[Element]:
    """For each norm, the verdict and a table of the checks."""
    elements: list[Element] = []
    for v in verdicts:
        rows = tuple((name, "suspicious" if suspicious else "pass", text) for name, suspicious, text in v.checks)
        elements.append(Paragraph(f"{_norm(v.norm)}, ε = {v.eps:g}, n = {v.samples:,} samples: {v.verdict}"))
        elements.append(Table(("Check", "Result", "Evidence"), rows))
    return elements


def _transfers(report: Report) -> Table:
    rows = tuple((t.attack, t.maker, str(t.maker_accuracy), t.taker, str(t.accuracy)) for t in report.transfers)
    return Table(("Attack", "Source", "Accuracy of source [95 % CI]", "Target", "Accuracy of target [95 % CI]"), rows)


def _certified(certified: CertifiedAccuracy) -> list[Element]:
    facts = [("Scope", certified.claim), ("Abstained", str(certified.abstained))]
    if certified.sigma is not None:
        facts.append(("Standard deviation of the Gaussian noise", f"{certified.sigma:g}"))
    if certified.alpha is not None:
        facts.append(("Failure probability α (per sample)", f"{certified.alpha:g}"))
    if certified.draws is not None:
        facts.append(("Monte Carlo samples per input (mean)", f"{certified.draws:.0f}"))
    facts += [(f"Median certified ℓ2 radius ({RADII.get(name, name)})", f"{r:.4g}") for name, r in certified.medians]
    facts += [(f"Lipschitz constant of {name}", f"{value:.6g}") for name, value in certified.parts]
    if certified.broken is not None:
        facts.append(("Adversarial examples found within the certified radius (must be 0)", str(certified.broken)))
    title = "Certified accuracy" if certified.sound else "Estimated certified accuracy (not a guarantee)"
    rows = tuple((f"{radius:g}", str(accuracy)) for radius, accuracy in certified.accuracies)
    return [
        Heading(f"{title}: {certified.certificate}"),
        Table(("", ""), tuple(facts)),
        Table(("ℓ2 radius", f"{title} [95 % CI]"), rows),
    ]


def _weights(weights: WeightMagnitudes) -> Table:
    percent = 100 * weights.small / weights.count if weights.count else 0.0
    small = f"{weights.small:,} ({percent:.1f} %)"
    return Table(("", ""), (("Weights", f"{weights.count:,}"), (f"Weights with |w| < {weights.below:g}", small)))


def _complexity(complexity: RademacherComplexity) -> list[Element]:
    rows = (
        ("Upper bound on the empirical Rademacher complexity", f"{complexity.bound:.3g}"),
        ("‖w‖₁", f"{complexity.weight:.3g}"),
        ("‖x‖∞", f"{complexity.radius:.3g}"),
        ("Training samples", f"{complexity.samples:,}"),
    )
    source = "Bound for linear classifiers: Wang, Tao, Bao and Shi, Theorem 3.4"
    return [Table(("", ""), rows), Paragraph(f"{source}. It assumes {complexity.assumes}.")]


def _norm(norm: str) -> str:
    return Norm(norm).sign


def _length(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
