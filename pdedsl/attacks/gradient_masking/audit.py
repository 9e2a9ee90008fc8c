"""Gradient-masking audit (Athalye, Carlini, Wagner, ICML 2018, section 3.1; Carlini et al. 2019, "On evaluating
adversarial robustness").

Masked (shattered, vanishing or stochastic) gradients make attacks fail, so that robust accuracy is overestimated. Each
check compares two quantities whose order is known for useful gradients. Passing all checks does not prove robustness.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from torch import Tensor

from pdedsl.attacks.base import Bounds
from pdedsl.attacks.fab import fab
from pdedsl.attacks.gradient_masking import checks
from pdedsl.attacks.gradient_masking.attack_runs import AuditRuns, covering_radius
from pdedsl.attacks.gradient_masking.checks import Finding
from pdedsl.attacks.gradient_masking.loss_landscape import Landscape, loss_landscape
from pdedsl.attacks.norms import NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model
from pdedsl.validation import validate_batch


@final
@dataclass(frozen=True)
class Audit:
    """Result of `audit` at radius `eps`: one finding per check, and the loss landscape around some samples."""

    findings: tuple[Finding, ...]
    eps: float
    landscape: Landscape

    @property
    def masked(self) -> bool:
        """Whether any check is suspicious."""
        return any(finding.suspicious for finding in self.findings)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The evidence of the suspicious checks."""
        return tuple(finding.text for finding in self.findings if finding.suspicious)

    @property
    def verdict(self) -> str:
        """One sentence, to be shown next to a robust accuracy."""
        if not self.masked:
            return f"pass: no sign of gradient masking in {len(self.findings)} checks"
        return "suspicious: possible gradient masking, robust accuracy is likely overestimated: " + "; ".join(
            self.reasons
        )


def audit(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float | None = None,
    norm: NormName = "inf",
    steps: int = 20,
    queries: int = 300,
    eot: int = 1,
    bounds: Bounds = None,
    surrogates: Sequence[Model] = (),
    seed: int = 0,
) -> Audit:
    """Examine the model at the samples x, a hundred or so, around the ε of an evaluation.

    If no ε is given, as when attacks search for the nearest adversarial example, it is the median distance of those
    that FAB finds. `surrogates` are models whose attacks should not transfer better than attacks on the model itself:
    one that was trained separately, or the same network with a fixed-step solver instead of an adaptive one.
    """
    x, y = validate_batch(x, y)
    if not len(x):
        raise ValueError("the audit needs at least one sample")
    predictor = model if isinstance(model, Predictor) else Predictor(model, eot=eot)
    with predictor.frozen(x, seed):
        size = _median_distance(predictor, x, y, norm, steps, bounds, seed) if eps is None else eps
        evidence = AuditRuns(predictor, x, y, read_norm(norm), size, steps, queries, bounds, seed)
        findings = [check(evidence) for check in checks.CHECKS]
        findings += [checks.transfer(evidence, surrogate) for surrogate in surrogates]
        findings += checks.curve(evidence)
        findings.append((checks.eot_convergence if predictor.stochastic else checks.gradient_check)(evidence))
        return Audit(tuple(findings), size, loss_landscape(evidence))


def _median_distance(
    predictor: Predictor, x: Tensor, y: Tensor, norm: NormName, steps: int, bounds: Bounds, seed: int
) -> float:
    """The median distance of the adversarial examples found; if none, half of the ε that allows every point."""
    found = fab(predictor, x, y, norm=norm, steps=steps, targets=3, bounds=bounds, seed=seed)
    lengths = found.distances[found.fooled & (found.distances > 0.0)]
    return lengths.median().item() if len(lengths) else 0.5 * covering_radius(x, read_norm(norm), bounds)
