"""Which parts of a network are bounded, and which one leaves it without a Lipschitz certificate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from pdedsl.config.evaluation import Lipschitz as Asked
from pdedsl.config.networks import Lipschitz, Paper
from pdedsl.ir.analysis import Analysis
from pdedsl.ir.plan import DataPlan, ImagePlan, Model, SolvePlan
from pdedsl.ir.verdicts import Axiom, Proved

NO_CERTIFICATE = "no Lipschitz certificate"


def certificate_lines(plan: Model, analysis: Analysis) -> list[str]:
    """Lines for a spec that asks for a certificate, by its frame or in its evaluation; otherwise none."""
    evaluate = analysis.spec.evaluate
    asked = evaluate is not None and any(isinstance(chosen.word, Asked) for chosen in evaluate.certify)
    framed = isinstance(plan, ImagePlan) and isinstance(plan.frame, Lipschitz)
    if not (asked or framed):
        return []
    broken = [f"{NO_CERTIFICATE}: {why}" for why in _obstacles(plan, analysis)]
    return broken or [
        "the scores have Lipschitz constant 1 in ℓ2 for every weight: the equation and every piece have it"
    ]


def _obstacles(plan: Model, analysis: Analysis) -> Iterator[str]:
    match plan:
        case DataPlan():
            yield "no Lipschitz constant is known for networks on a data space"
        case ImagePlan(frame=frame):
            match frame:
                case Paper():
                    yield "the frame has convolutions and batch norms without a bound; write frame lipschitz"
                case Lipschitz():
                    pass
                case _:
                    assert_never(frame)
            verdict = analysis.axioms[Axiom.STABILITY]
            if not isinstance(verdict, Proved):
                yield f"the equation is not non-expansive for every weight: {verdict.reason}"
        case SolvePlan():
            yield "the network of a physical problem is not a classifier"
        case _:
            assert_never(plan)
