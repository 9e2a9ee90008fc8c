"""Summary of an evaluation report for the terminal."""

from __future__ import annotations

from pdedsl.config.evaluation import Norm
from pdedsl.evaluation.report import Report

MASKED = "(gradient masking?)"
"""Mark of a robust accuracy whose audit is suspicious."""


def summary(report: Report) -> str:
    """Clean, robust and certified accuracies with confidence intervals, and the verdicts of the audits."""
    rows = [("clean", str(report.clean.accuracy))]
    masked = {verdict.norm for verdict in report.doubts if verdict.masked}
    rows += [(r.attack, f"{r.accuracy} {MASKED if r.norm in masked else ''}".rstrip()) for r in report.robust]
    rows += [(f"{t.attack}, transfer {t.maker} → {t.taker}", str(t.accuracy)) for t in report.transfers]
    for certified in report.certified:
        name = "certified" if certified.sound else "certified (estimate)"
        shown = certified.accuracies[:: max(1, len(certified.accuracies) // 4)]
        rows += [(f"{name}, ℓ2 radius {radius:g}", str(accuracy)) for radius, accuracy in shown]
    width = max(len(name) for name, _ in rows)
    lines = [f"{report.name}: accuracy with 95 % Clopper-Pearson interval, n = {report.samples:,}"]
    lines += [f"  {name:<{width}}  {value}" for name, value in rows]
    lines += [f"  gradient-masking audit, {Norm(v.norm).sign}, ε = {v.eps:g}: {v.verdict}" for v in report.doubts]
    lines += [f"  {certified.certificate}: {certified.claim}" for certified in report.certified]
    return "\n".join(lines)
