"""Evaluation of stochastic and solver-based classifiers by adaptive attacks (Tramèr, Carlini, Brendel, Madry 2020).

The gradient attacks are PGD with k = 1, 4, 16, … noise samples per gradient (EOT), until four times as many find hardly
more, and APGD. Samples that are still correct are attacked by

    scale-invariant loss    APGD on the difference of logits ratio, which does not saturate
    fixed noise             PGD of an attacker who knows the noise, evaluated under other noise
    deterministic twin      APGD on the network with the mean of every random number
    surrogates              PGD on other versions, such as fixed-step solvers or gradients without the adjoint
    identity gradients      PGD with BPDA, where rounding, comparisons or stopped gradients were found
    averaged Square         black-box search on means over noise, without early stopping

If one of these finds what gradient attacks miss, they overestimate the robust accuracy. An adversarial example counts
if a sequential test on new noise samples decides that the mean prediction is wrong. Robust accuracy is the worst case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import final

import torch
from torch import Tensor

from pdedsl.attacks.apgd import apgd
from pdedsl.attacks.base import AttackContext, Bounds, Result
from pdedsl.attacks.batch_ops import select, take
from pdedsl.attacks.constraints import read_box
from pdedsl.attacks.criterion import Criterion, log_odds
from pdedsl.attacks.gradient_masking.checks import MaskingFinding
from pdedsl.attacks.norms import NormName, read_norm
from pdedsl.attacks.pgd import AscentConfig, ascend, cross_entropy_loss, pgd
from pdedsl.attacks.predictor import Predictor
from pdedsl.attacks.square import make_proposals, random_search
from pdedsl.attacks.stochastic.sequential_test import judge
from pdedsl.attacks.stochastic.variants import (
    count_identity_gradients,
    with_fixed_noise,
    with_identity_gradients,
    without_noise,
)
from pdedsl.frozen_model import Model
from pdedsl.validation import validate_batch

EOT_FACTOR = 4  # between two points of the curve over noise samples
SQUARE_EOT = 16  # largest number of noise samples per query: the accepted points are compared on new ones
USELESS_GRADIENTS = 0.05  # fraction of samples with zero or NaN gradients that is suspicious, as in the audit

PGD, APGD = "PGD", "APGD-CE"
DLR, FIXED_NOISE, TWIN = "scale-invariant loss", "fixed noise", "deterministic twin"
BPDA, SQUARE = "identity gradients (BPDA)", "averaged Square"


@final
@dataclass(frozen=True)
class StochasticEvaluation:
    """Result of `evaluate_stochastic`.

    Attributes:
        eps: radius ε.
        eot_curve: (noise samples per gradient, robust accuracy of all samples after PGD with up to this number).
        converged: whether the last point of the curve lowers the accuracy by less than the sampling error allows.
        eot: noise samples per gradient of the other attacks.
        found: for each attack, the number of correct samples for which it found an adversarial example.
        fooled: for each sample, whether it is misclassified without an attack or by any of them.
        undecided: number of sequential tests of adversarial examples that did not reach a decision.
        known_noise: robust accuracy if the attacker knows the noise of the prediction; None for deterministic models.
        findings: one finding per check: name, suspicious or not, and the evidence.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> model = lambda x: torch.cat([x, -x], 1) + 0.1 * torch.randn(len(x), 2)
        >>> x, y = torch.tensor([[0.25], [1.0]]), torch.tensor([0, 0])
        >>> result = attacks.evaluate_stochastic(model, x, y, eps=0.5, steps=5, queries=10)
        >>> result.fooled, result.converged
        ((True, False), True)
    """

    eps: float
    eot_curve: tuple[tuple[int, float], ...]
    converged: bool
    eot: int
    found: tuple[tuple[str, int], ...]
    fooled: tuple[bool, ...]
    undecided: int
    known_noise: float | None
    findings: tuple[MaskingFinding, ...]

    @property
    def accuracy(self) -> float:
        """Robust accuracy: the fraction of samples without an adversarial example by any attack."""
        return 1.0 - sum(self.fooled) / len(self.fooled)

    @property
    def masked(self) -> bool:
        """Whether gradient attacks overestimate the robust accuracy."""
        return any(finding.suspicious for finding in self.findings)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The evidence of the suspicious checks."""
        return tuple(finding.text for finding in self.findings if finding.suspicious)

    @property
    def verdict(self) -> str:
        """One sentence, to be shown next to a robust accuracy."""
        if not self.masked:
            return f"pass: {len(self.findings)} checks of adaptive attacks found no more than gradient attacks"
        return "suspicious: gradient attacks overestimate the robust accuracy: " + "; ".join(self.reasons)


def evaluate_stochastic(
    model: Model | Predictor,
    x: Tensor,
    y: Tensor,
    *,
    eps: float,
    norm: NormName = "inf",
    steps: int = 20,
    queries: int = 300,
    eot: int = 64,
    bounds: Bounds = None,
    surrogates: Mapping[str, Model] | None = None,
    seed: int = 0,
) -> StochasticEvaluation:
    """Robust accuracy of a stochastic or solver-based classifier: worst case over gradient and adaptive attacks.

    Args:
        model: callable from inputs (m, …) to logits (m, classes), or a `Predictor`; its state is restored.
        x: inputs within `bounds`, shape (n, …), floating point; about 100 samples suffice.
        y: labels, shape (n,), integers.
        eps: radius ε of the attacks.
        norm: "inf" or "2".
        steps: number of steps of PGD; APGD makes twice as many.
        queries: number of queries of Square.
        eot: largest number of noise samples per gradient.
        bounds: lower and upper bound of valid inputs, numbers or tensors; None for no bounds.
        surrogates: other versions of the network whose adversarial examples are tried, by name.
        seed: seed of the attacks and of the noise of the model.

    Returns:
        `StochasticEvaluation` with the accuracy, the curve over noise samples, and one finding per check.

    Raises:
        ValueError: if there are no samples, or shapes, dtypes or `norm` are invalid.

    Example:
        >>> import torch
        >>> from pdedsl import attacks
        >>> model = lambda x: torch.cat([x, -x], 1)
        >>> x, y = torch.tensor([[0.25], [1.0]]), torch.tensor([0, 0])
        >>> attacks.evaluate_stochastic(model, x, y, eps=0.5, steps=5, queries=10).masked
        False
        >>> rounded = lambda x: model((4 * x).round())  # zero gradient
        >>> attacks.evaluate_stochastic(rounded, x, y, eps=0.5, steps=5, queries=10).masked
        True
    """
    x, y = validate_batch(x, y)
    if not len(x):
        raise ValueError("the evaluation needs at least one sample")
    predictor = model if isinstance(model, Predictor) else Predictor(model)
    with predictor.frozen(x, seed):
        before = predictor.eot
        try:
            return _Evaluation(predictor, x, y, norm, eps, steps, queries, bounds, seed).run(eot, surrogates or {})
        finally:
            predictor.eot = before


@final
class _Evaluation:
    """The attacks in order; `fooled` holds the successes so far."""

    def __init__(
        self,
        predictor: Predictor,
        x: Tensor,
        y: Tensor,
        norm: NormName,
        eps: float,
        steps: int,
        queries: int,
        bounds: Bounds,
        seed: int,
    ) -> None:
        self.predictor, self.x, self.y, self.norm, self.eps = predictor, x, y, read_norm(norm), eps
        self.steps, self.queries, self.bounds, self.seed = steps, queries, bounds, seed
        self.criterion = Criterion(y)
        self.found: dict[str, int] = {}
        self.undecided = 0
        self.fooled = torch.zeros_like(y, dtype=torch.bool)
        self.min_count = max(3, ceil(0.03 * len(x)))  # as in the gradient-masking audit

    def run(self, eot: int, surrogates: Mapping[str, Model]) -> StochasticEvaluation:
        self.fooled = judge(self.predictor, self.x, self.criterion).fooled
        curve, converged = self._run_eot_curve(eot if self.predictor.stochastic else 1)
        self._attack(APGD, self._apgd("ce", self.predictor))
        findings = [self._convergence(curve, converged), self._useless_gradients()]
        gradient_attacks, white_box = self.fooled, self.fooled.clone()
        known_noise = None
        for name, points in self._adaptive_attacks(surrogates).items():
            self.fooled = gradient_attacks.clone()
            more = self._attack(name, points)
            text = f"{name} finds {more} adversarial examples that gradient attacks miss (n = {len(self.x)})"
            findings.append(MaskingFinding(name, more >= self.min_count, text))
            white_box |= self.fooled
        self.fooled = white_box
        if self.predictor.stochastic:
            known_noise = self._known_noise_accuracy()
        return StochasticEvaluation(
            self.eps,
            tuple(curve),
            converged,
            self.predictor.eot,
            tuple(self.found.items()),
            tuple(self.fooled.tolist()),
            self.undecided,
            known_noise,
            tuple(findings),
        )

    # ---- Attacks on the rows that are correct so far

    def _attack(self, name: str, points: Callable[[Tensor, Tensor], Tensor]) -> int:
        """Judge the points (m, …) that an attack proposes for the remaining rows; returns the number of successes."""
        rows = (~self.fooled).nonzero()[:, 0]
        if not len(rows):
            self.found[name] = self.found.get(name, 0)
            return 0
        x = take(self.x, rows)
        attacked = self._feasible(x, points(x, self.y[rows]))
        judgement = judge(self.predictor, attacked, self.criterion.take(rows))
        self.fooled[rows] = judgement.fooled
        self.undecided += int(judgement.undecided.sum())
        successes = int(judgement.fooled.sum())
        self.found[name] = self.found.get(name, 0) + successes
        return successes

    def _feasible(self, x: Tensor, attacked: Tensor) -> Tensor:
        """Projected to ball ∩ box; non-finite points are replaced by the samples."""
        attacked = select(attacked.flatten(1).isfinite().all(1), attacked, x)
        context = AttackContext(self.predictor, x, Criterion(self.y), read_box(self.bounds), torch.Generator(x.device))
        return context.region(self.norm, self.eps).project(attacked)

    def _pgd(self, model: Model | Predictor) -> Callable[[Tensor, Tensor], Tensor]:
        return lambda x, y: self._points(pgd, model, x, y, steps=self.steps)

    def _apgd(self, loss: str, model: Model | Predictor) -> Callable[[Tensor, Tensor], Tensor]:
        return lambda x, y: self._points(apgd, model, x, y, steps=2 * self.steps, loss=loss)

    def _points(
        self, attack: Callable[..., Result], model: Model | Predictor, x: Tensor, y: Tensor, **options: object
    ) -> Tensor:
        return attack(model, x, y, eps=self.eps, norm=self.norm, bounds=self.bounds, seed=self.seed, **options).x

    def _predictor(self, model: Model) -> Predictor:
        """A version of the model, with the noise samples per gradient of this evaluation."""
        return Predictor(model, eot=self.predictor.eot, batch=self.predictor.batch)

    # ---- Gradient attacks

    def _run_eot_curve(self, largest: int) -> tuple[list[tuple[int, float]], bool]:
        """PGD with 1, 4, 16, … noise samples per gradient, until it finds fewer than `min_count` more."""
        curve: list[tuple[int, float]] = []
        for eot in (EOT_FACTOR**k for k in range(largest.bit_length()) if EOT_FACTOR**k <= largest):
            self.predictor.eot = eot
            more = self._attack(PGD, self._pgd(self.predictor))
            curve.append((eot, 1.0 - self.fooled.double().mean().item()))
            if len(curve) > 1 and more < self.min_count:
                return curve, True
        return curve, not self.predictor.stochastic or bool(self.fooled.all())

    def _convergence(self, curve: list[tuple[int, float]], converged: bool) -> MaskingFinding:
        line = ", ".join(f"{100 * accuracy:.1f} % with {eot}" for eot, accuracy in curve)
        text = f"robust accuracy {line} noise samples per gradient: {'converged' if converged else 'not converged'}"
        return MaskingFinding("convergence in noise samples", not converged, text)

    def _useless_gradients(self) -> MaskingFinding:
        gradient = self.predictor.loss_gradient(self.x, self.criterion, log_odds).gradient.flatten(1)
        useless = ((gradient == 0.0).all(1) | ~gradient.isfinite().all(1)).double().mean().item()
        text = f"the gradient is zero, NaN or infinite for {100 * useless:.0f} % of the samples"
        return MaskingFinding("zero or NaN gradients", useless > USELESS_GRADIENTS, text)

    # ---- Adaptive attacks

    def _adaptive_attacks(self, surrogates: Mapping[str, Model]) -> dict[str, Callable[[Tensor, Tensor], Tensor]]:
        model = self.predictor.model
        attacks = {DLR: self._apgd("dlr", self.predictor)}
        if self.predictor.stochastic:
            attacks[FIXED_NOISE] = self._attack_fixed_noise
            attacks[TWIN] = self._apgd("ce", Predictor(without_noise(model), draws=1))
        attacks |= {name: self._pgd(self._predictor(other)) for name, other in surrogates.items()}
        if count_identity_gradients(model, self.x[:1]):
            attacks[BPDA] = self._pgd(self._predictor(with_identity_gradients(model)))
        return {**attacks, SQUARE: self._run_square}

    def _attack_fixed_noise(self, x: Tensor, y: Tensor) -> Tensor:
        """PGD against one realization of the noise; all rows stay in the batch, which determines their noise."""
        fixed = Predictor(with_fixed_noise(self.predictor.model, self.seed), draws=1, batch=self.predictor.batch)
        with fixed.frozen(x, self.seed):
            context = AttackContext(fixed, x, Criterion(y), read_box(self.bounds), torch.Generator(x.device))
            region = context.region(self.norm, self.eps)
            start = region.project(x + self.eps * self.norm.uniform(x, context.generator.manual_seed(self.seed)))
            loss, length = cross_entropy_loss(fixed), 2.5 * self.eps / self.steps
            config = AscentConfig(self.norm, length, self.steps, loss, stop=False)
            return ascend(fixed, start, context.criterion, region, config).x

    def _known_noise_accuracy(self) -> float:
        """Robust accuracy of the prediction from one noise sample, known to the attacker."""
        attacked = self._feasible(self.x, self._attack_fixed_noise(self.x, self.y))
        fixed = Predictor(with_fixed_noise(self.predictor.model, self.seed), draws=1, batch=self.predictor.batch)
        fooled = self.criterion.is_satisfied(fixed.predict(self.x)) | self.criterion.is_satisfied(
            fixed.predict(attacked)
        )
        return 1.0 - fooled.double().mean().item()

    def _run_square(self, x: Tensor, y: Tensor) -> Tensor:
        """Square on means over noise, without early stopping: a lucky noise sample ends no search."""
        before, self.predictor.eot = self.predictor.eot, min(self.predictor.eot, SQUARE_EOT)
        try:
            generator = torch.Generator(x.device).manual_seed(self.seed)
            context = AttackContext(self.predictor, x, Criterion(y), read_box(self.bounds), generator)
            proposals = make_proposals(self.norm, x, self.eps, generator)
            region = context.region(self.norm, self.eps)
            return random_search(context, region, proposals, self.queries, stop=not self.predictor.stochastic)
        finally:
            self.predictor.eot = before
