"""Lipschitz certificate of a network: whether every part is 1-Lipschitz, and which part is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from pdedsl.config.evaluation import LipschitzCertificate
from pdedsl.config.networks import LipschitzFrame, Paper
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import DataPlan, ImagePlan, Model, SolvePlan
from pdedsl.ir.verdicts import Axiom, Proved

NO_CERTIFICATE = "no Lipschitz certificate"


def certificate_lines(plan: Model, analysis: Analysis) -> list[str]:
    """Lines for a spec that requests a certificate, by its architecture or in its evaluation; otherwise none."""
    evaluate = analysis.spec.evaluate
    requested = evaluate is not None and any(isinstance(c.config, LipschitzCertificate) for c in evaluate.certify)
    lipschitz = isinstance(plan, ImagePlan) and isinstance(plan.frame, LipschitzFrame)
    if not (requested or lipschitz):
        return []
    obstacles = [f"{NO_CERTIFICATE}: {obstacle}" for obstacle in _obstacles(plan, analysis)]
    return obstacles or ["Lipschitz certificate: the logits are 1-Lipschitz in ℓ2 for all weights, as is every layer"]


def _obstacles(plan: Model, analysis: Analysis) -> Iterator[str]:
    match plan:
        case DataPlan():
            yield "no Lipschitz bound is available for networks on a data space"
        case ImagePlan(frame=frame):
            match frame:
                case Paper():
                    yield "the frame has convolutions and batch norms without a bound; write frame lipschitz"
                case LipschitzFrame():
                    pass
                case _:
                    assert_never(frame)
            verdict = analysis.axioms[Axiom.STABILITY]
            if not isinstance(verdict, Proved):
                yield f"the equation is not shown to be non-expansive for all weights: {verdict.reason}"
        case SolvePlan():
            yield "a boundary value problem has no classifier"
        case _:
            assert_never(plan)
