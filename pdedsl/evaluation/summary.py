"""A report in a few lines, for a terminal."""

from __future__ import annotations

from pdedsl.evaluation.report import Report

MASKED = "(masked gradients?)"
"""Beside an accuracy under attack that its audit doubts."""


def summary(report: Report) -> str:
    """Every accuracy with its interval, and the audit's verdicts."""
    rows = [("without an attack", str(report.clean.accuracy))]
    masked = {doubt.norm for doubt in report.doubts if doubt.masked}
    rows += [(r.attack, f"{r.accuracy} {MASKED if r.norm in masked else ''}".rstrip()) for r in report.robust]
    rows += [(f"{t.attack} of {t.maker} on {t.taker}", str(t.accuracy)) for t in report.transfers]
    for certified in report.certified:
        verb = "certified" if certified.sound else "estimated"
        shown = certified.accuracies[:: max(1, len(certified.accuracies) // 4)]
        rows += [(f"{verb} at radius {radius:g}", str(share)) for radius, share in shown]
    width = max(len(name) for name, _ in rows)
    lines = [f"{report.name}, {report.samples:,} samples, accuracy with 95 % interval"]
    lines += [f"  {name:<{width}}  {value}" for name, value in rows]
    lines += [f"  audit, norm {doubt.norm}, eps {doubt.eps:g}: {doubt.verdict}" for doubt in report.doubts]
    lines += [f"  {certified.certificate}: {certified.claim}" for certified in report.certified]
    return "\n".join(lines)
