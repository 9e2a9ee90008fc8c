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
from pdedsl.attacks.gradient_masking.attack_runs import AuditRuns, radius_containing_box
from pdedsl.attacks.gradient_masking.checks import MaskingFinding
from pdedsl.attacks.gradient_masking.loss_landscape import Landscape, loss_landscape
from pdedsl.attacks.norms import NormName, read_norm
from pdedsl.attacks.predictor import Predictor
from pdedsl.frozen_model import Model
from pdedsl.validation import validate_batch


@final
@dataclass(frozen=True)
class Audit:
    """Result of `audit`.

    Attributes:
        findings: one finding per check: name, suspicious or not, and the evidence.
        eps: radius ε of the audit.
        landscape: loss around some samples, along the gradient and along a random direction.
        fooled: for each sample, whether it is misclassified, or an attack of the audit within ε succeeded.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> model = lambda x: torch.cat([x, -x], 1)
        >>> x, y = torch.tensor([[0.25], [-1.0]]), torch.tensor([0, 1])
        >>> attacks.audit(model, x, y, eps=0.5, steps=5, queries=10).verdict
        'pass: no sign of gradient masking in 11 checks'
    """

    findings: tuple[MaskingFinding, ...]
    eps: float
    landscape: Landscape
    fooled: tuple[bool, ...]

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
    """Gradient-masking audit of a classifier at radius ε (Athalye et al. 2018; Carlini et al. 2019).

    Args:
        model: callable from inputs (m, …) to logits (m, classes), or a `Predictor`; its state is restored.
        x: inputs within `bounds`, shape (n, …), floating point; about 100 samples suffice.
        y: labels, shape (n,), integers.
        eps: radius ε of the attacks; by default the median distance of the adversarial examples that FAB finds.
        norm: "inf" or "2".
        steps: number of steps of PGD.
        queries: number of queries of Square.
        eot: number of noise samples per gradient or query (expectation over transformation), for stochastic models.
        bounds: lower and upper bound of valid inputs, numbers or tensors; None for no bounds.
        surrogates: models whose adversarial examples should not be better than those of the model itself: a model that
            was trained separately, or the same network with a fixed-step instead of an adaptive solver.
        seed: seed of the attacks and of the noise of the model.

    Returns:
        `Audit` with one finding per check (suspicious or not, with the evidence), `masked`, `verdict` and the loss
        `landscape`.

    Raises:
        ValueError: if there are no samples, or shapes, dtypes or `norm` are invalid.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> model = lambda x: torch.cat([x, -x], 1)
        >>> x, y = torch.tensor([[0.25], [-1.0]]), torch.tensor([0, 1])
        >>> attacks.audit(model, x, y, eps=0.5, steps=5, queries=10).masked
        False
        >>> masked = lambda x: model(x.sign())  # zero gradient
        >>> attacks.audit(masked, x, y, eps=0.5, steps=5, queries=10).masked
        True
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
        return Audit(tuple(findings), size, loss_landscape(evidence), tuple(evidence.fooled.tolist()))


def _median_distance(
    predictor: Predictor, x: Tensor, y: Tensor, norm: NormName, steps: int, bounds: Bounds, seed: int
) -> float:
    """The median distance of the adversarial examples found; if none, half of the ε that allows every point."""
    nearest = fab(predictor, x, y, norm=norm, steps=steps, targets=3, bounds=bounds, seed=seed)
    lengths = nearest.distances[nearest.fooled & (nearest.distances > 0.0)]
    return lengths.median().item() if len(lengths) else 0.5 * radius_containing_box(x, read_norm(norm), bounds)
