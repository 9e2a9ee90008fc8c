"""Do the gradients of a model tell the truth? Signs of gradient masking (Athalye, Carlini, Wagner, ICML 2018, section
3.1; Carlini et al. 2019, "On evaluating adversarial robustness").

Masked gradients make weak attacks fail; the model looks robust and is not. Each check compares two things that must be
in order if gradients are sound. None of them proves robustness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from torch import Tensor

from pdedsl.attacks import signs
from pdedsl.attacks.evidence import Evidence
from pdedsl.attacks.norms import NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.signs import Finding
from pdedsl.attacks.task import Bounds
from pdedsl.untouched import Model


@final
@dataclass(frozen=True)
class Audit:
    findings: tuple[Finding, ...]

    @property
    def masked(self) -> bool:
        return any(finding.suspicious for finding in self.findings)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(finding.text for finding in self.findings if finding.suspicious)

    @property
    def verdict(self) -> str:
        """In words, to stand beside a robust accuracy."""
        if not self.masked:
            return f"no sign of masked gradients in {len(self.findings)} checks"
        return "gradients may be masked, the accuracy under attack is not to be believed: " + "; ".join(self.reasons)


def audit(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    steps: int = 20,
    queries: int = 300,
    eot: int = 1,
    bounds: Bounds = None,
    surrogates: Sequence[Model] = (),
    seed: int = 0,
) -> Audit:
    """Examine the model at the samples x, a hundred or so, around the ε of an evaluation.

    `surrogates` are models whose attacks should not transfer better than those on the model itself: one that was
    trained apart, or the same network with a solver of fixed steps in the place of an adaptive one.
    """
    predictor = model if isinstance(model, Predictor) else Predictor(model, eot=eot)
    with predictor.attacked(x, seed):
        evidence = Evidence(predictor, x, y, read_norm(norm), eps, steps, queries, bounds, seed)
        findings = [check(evidence) for check in signs.CHECKS]
        findings += [signs.transfer(evidence, surrogate) for surrogate in surrogates]
        findings += signs.curve(evidence)
        findings += [signs.randomness(evidence)] if predictor.stochastic else []
    return Audit(tuple(findings))
