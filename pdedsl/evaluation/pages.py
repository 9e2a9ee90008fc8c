"""A report as files: report.json for programs, report.md and report.html for people, tables.tex for papers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pdedsl.config.evaluation import Norm
from pdedsl.diagnostics import escaping
from pdedsl.evaluation.report import Certified, Clean, Complexity, MaskingVerdict, Report, Robust, Weights
from pdedsl.io import replace_text
from pdedsl.runs.document import Code, Element, Heading, Items, Paragraph, Picture, Table, markdown, page


def write_pages(report: Report, folder: Path) -> None:
    """Write all forms of a report, beside its pictures."""
    elements = document(report)
    replace_text(folder / "report.json", escaping.as_json(report.plain(), indent=1) + "\n")
    replace_text(folder / "report.md", markdown(elements))
    replace_text(folder / "report.html", page(report.name, elements, folder))


def document(report: Report) -> list[Element]:
    """The report in reading order: what, how well, how robust, how far certified, how to reproduce it."""
    return [
        Heading(report.name, 1),
        Paragraph(report.title),
        Code(report.equation, "pde") if report.equation else Paragraph(""),
        Table(("", ""), tuple(_facts(report))),
        Items(report.notes),
        *_section("What is proved of the equation", Table(("axiom", "verdict"), report.axioms)),
        Heading("Without an attack"),
        *_clean(report.clean),
        *_section("Under attack", robust_table(report.robust), Items(_range_notes(report.robust))),
        *_section("Can these accuracies be believed?", *_doubts(report.doubts)),
        *_section("Adversaries of one network tried on another", _transfers(report)),
        *(element for certified in report.certified for element in _certified(certified)),
        *_section("Weights", *([] if report.weights is None else [_weights(report.weights)])),
        *_section("Complexity", *([] if report.complexity is None else _complexity(report.complexity))),
        *(Picture(file, caption) for file, caption in report.pictures),
        *_section("How to make this report again", *(Code(command, "sh") for command in report.commands)),
    ]


def _section(title: str, *elements: Element) -> list[Element]:
    """A heading with its content, or nothing if there is no content."""
    return [Heading(title), *elements] if any(map(_is_full, elements)) else []


def _is_full(element: Element) -> bool:
    match element:
        case Table(rows=held) | Items(texts=held) | Paragraph(text=held):
            return bool(held)
        case _:
            return True


def _facts(report: Report) -> list[tuple[str, str]]:
    known = [
        ("data", report.data),
        ("samples", f"{report.samples:,}"),
        ("parameters", f"{report.parameters:,}"),
        ("seed", str(report.seed)),
        ("hash of the spec", report.hash),
    ]
    return [(name, value) for name, value in known if value]


def _clean(clean: Clean) -> list[Element]:
    facts = (
        ("accuracy", str(clean.accuracy)),
        ("cross-entropy", f"{clean.loss:.4f}"),
        ("expected calibration error", f"{clean.calibration:.3f}"),
    )
    return [Table(("", ""), facts), Paragraph("Intervals in brackets are of confidence 95 % (Clopper and Pearson).")]


def robust_table(robust: Sequence[Robust]) -> Table:
    """One row per attack, with the audit's verdict beside each accuracy."""
    rows = tuple(
        (r.attack, _norm(r.norm), str(r.accuracy), _length(r.distance), str(r.draws), f"{r.passes:.0f}", r.doubt)
        for r in robust
    )
    return Table(("attack", "norm", "accuracy", "median distance", "draws", "passes", "audit"), rows)


def _range_notes(robust: Sequence[Robust]) -> tuple[str, ...]:
    return tuple(
        f"{r.attack}: {100 * min(r.seeds):.1f} to {100 * max(r.seeds):.1f} % under each of {len(r.seeds)} seeds alone; "
        "the accuracy counts samples that withstand all"
        for r in robust
        if len(r.seeds) > 1
    )


def _doubts(doubts: Sequence[MaskingVerdict]) -> list[Element]:
    """One table per audit, below its verdict."""
    found: list[Element] = []
    for d in doubts:
        rows = tuple((name, "suspicious" if wrong else "as it should be", text) for name, wrong, text in d.checks)
        found.append(Paragraph(f"{_norm(d.norm)}, ε = {d.eps:g}, {d.samples:,} samples: {d.verdict}"))
        found.append(Table(("check", "finding", "what was seen"), rows))
    return found


def _transfers(report: Report) -> Table:
    rows = tuple((t.attack, t.maker, str(t.maker_accuracy), t.taker, str(t.accuracy)) for t in report.transfers)
    return Table(("attack", "made for", "its accuracy", "tried on", "its accuracy"), rows)


def _certified(certified: Certified) -> list[Element]:
    facts = [("what holds", certified.claim), ("abstained", str(certified.abstained))]
    if certified.sigma is not None:
        facts.append(("standard deviation of the noise", f"{certified.sigma:g}"))
    if certified.alpha is not None:
        facts.append(("probability that a radius is wrong, at most", f"{certified.alpha:g}"))
    if certified.draws is not None:
        facts.append(("draws for a sample, on average", f"{certified.draws:.0f}"))
    facts += [(f"median radius, {name}", f"{value:.4g}") for name, value in certified.medians]
    facts += [(f"Lipschitz constant of {name}", f"{value:.6g}") for name, value in certified.parts]
    if certified.broken is not None:
        facts.append(("samples that an attack fooled within their radius", str(certified.broken)))
    title = "Certified" if certified.sound else "Estimated, not certified"
    rows = tuple((f"{radius:g}", str(share)) for radius, share in certified.accuracies)
    return [
        Heading(f"{title}: {certified.certificate}"),
        Table(("", ""), tuple(facts)),
        Table(("radius in ℓ2", "right and certified" if certified.sound else "right, by the estimate"), rows),
    ]


def _weights(weights: Weights) -> Table:
    share = 100 * weights.small / weights.count if weights.count else 0.0
    rows = (("weights", f"{weights.count:,}"), (f"below {weights.below:g}", f"{weights.small:,} ({share:.1f} %)"))
    return Table(("", ""), rows)


def _complexity(complexity: Complexity) -> list[Element]:
    rows = (
        ("Rademacher complexity, at most", f"{complexity.bound:.3g}"),
        ("‖w‖₁", f"{complexity.weight:.3g}"),
        ("‖x‖∞", f"{complexity.radius:.3g}"),
        ("training samples", f"{complexity.samples:,}"),
    )
    source = "Theorem 3.4 of Wang, Tao, Bao and Shi, which counts linear classifiers"
    return [Table(("", ""), rows), Paragraph(f"{source}. It assumes {complexity.assumes}.")]


def _norm(norm: str) -> str:
    return Norm(norm).sign


def _length(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
