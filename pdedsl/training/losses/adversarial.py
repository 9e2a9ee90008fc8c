"""Adversarial training: the batch is replaced by adversarial examples (Wang, Yuan, Shi, Osher 2020, Algorithm 3.1).

The attacks are those of `pdedsl.attacks`:

    fgsm    one step of length ε                                        (eq. 3.2)
    ifgsm   `steps` steps of length `step`, projected to the ball       (eq. 3.3)
    pgd     the same from a random start, uniform in the ball           (Algorithm 3.1; Madry et al. 2018)

During the attack the noise of the model is resampled in every forward pass, and batch norms are in eval mode. The
published code attacks in training mode, where ten adversarial batches enter the running statistics for each training
batch.

Losses at a sample x and its adversarial example x′, with the probabilities p:

    mixed   c·CE(x) + (1 - c)·CE(x′)                                            (Goodfellow et al. 2015, section 6)
    trades  CE(x) + β·KL(p(x) ‖ p(x′)), x′ maximises the divergence             (Zhang et al. 2019, eq. 5)
    mart    -log p_y(x′) - log(1 - max_{k≠y} p_k(x′)) + β·KL(p(x) ‖ p(x′))·(1 - p_y(x))   (Wang et al. 2020, eq. 11)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import torch
from torch import Tensor, nn
from torch.nn import functional

from pdedsl.attacks.batch_ops import column
from pdedsl.attacks.constraints import feasible_set, read_box
from pdedsl.attacks.criterion import Criterion, Loss
from pdedsl.attacks.norms import L2, read_norm
from pdedsl.attacks.pgd import AscentConfig, ascend, cross_entropy_loss
from pdedsl.attacks.predictor import Predictor
from pdedsl.config.evaluation import NormOrder
from pdedsl.config.training import Adversary as AdversaryConfig
from pdedsl.config.training import FgsmAdversary, IfgsmAdversary, Mart, Mixed, PgdAdversary, Trades
from pdedsl.data.sampling import KeyedRng
from pdedsl.data.splits import Split
from pdedsl.frozen_model import frozen, module_modes
from pdedsl.ir.plan import AdversarialLoss
from pdedsl.runs.distributed import World
from pdedsl.training.losses.classification import ACCURACY, accuracy

BATCH_SIZE = 256  # samples that are attacked together


@dataclass(frozen=True)
class Adversary:
    """An attack within the ball of radius `eps` around each sample, and within `bounds` if they are given.

    `step` defaults to 2.5·eps/steps; fgsm makes one step of length eps. `eot` gradients with independent noise are
    averaged (expectation over transformation; section 4 of the paper).
    """

    config: AdversaryConfig
    bounds: tuple[float, float] | None = None

    @property
    def eps(self) -> float:
        return float(self.config.eps)

    def __call__(
        self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng, divergence_from: Tensor | None = None
    ) -> Tensor:
        """Adversarial examples after all steps, without early stopping.

        The attack maximises the cross-entropy or, with log-probabilities `divergence_from` of shape (n, classes), the
        Kullback-Leibler divergence from them."""
        norm, (steps, length), x = read_norm(self.config.norm.value), self._schedule(), x.detach()
        with module_modes(model.modules(), training=True), frozen(model.parameters()):
            ball = feasible_set(norm, x, self.eps, read_box(self.bounds))
            predictor = Predictor(model, eot=self.config.eot)
            start = ball.project(self._start(x, rng)) if isinstance(self.config, PgdAdversary) else x
            loss = cross_entropy_loss(predictor) if divergence_from is None else _divergence_loss(divergence_from)
            return ascend(predictor, start, Criterion(y), ball, AscentConfig(norm, length, steps, loss, stop=False)).x

    def _schedule(self) -> tuple[int, float]:
        match self.config:
            case FgsmAdversary():
                return 1, self.eps
            case PgdAdversary(steps=steps, step=step) | IfgsmAdversary(steps=steps, step=step):
                return steps, 2.5 * self.eps / steps if step is None else float(step)
            case _:
                assert_never(self.config)

    def _start(self, x: Tensor, rng: KeyedRng) -> Tensor:
        """Uniform in the ball; keyed by (seed, step, sample index), independent of the number of processes."""
        if self.config.norm is NormOrder.INF:
            return x + self.eps * (2.0 * rng.like(x, "start", "uniform") - 1.0)
        radius = column(rng.numbers(x, "radius").pow(1.0 / x[0].numel()), x)
        return x + self.eps * radius * L2().steepest(rng.like(x, "start"))


def robust_accuracy(model: nn.Module, attack: Adversary, split: Split, world: World, dtype: torch.dtype) -> float:
    """Accuracy on the adversarial examples of a split, with the same random starts in each call; each process attacks
    a part of the samples."""
    local, correct = world.local_slice(len(split)), torch.zeros((), device=world.device)
    with module_modes(model.modules(), training=False):
        for start in range(local.start, local.stop, BATCH_SIZE):
            rows = torch.arange(start, min(start + BATCH_SIZE, local.stop))
            x, y = split.batch(rows, world.device, dtype)
            attacked = attack(model, x, y, KeyedRng(0, 0, start))
            with torch.no_grad():
                correct += (model(attacked).argmax(-1) == y).sum()
    return float(world.all_reduce(correct)) / len(split)


# ---- Losses at samples and adversarial examples


@dataclass(frozen=True)
class AdversarialTrainingLoss:
    """The loss `config` at samples and their adversarial examples."""

    config: AdversarialLoss
    adversary: Adversary

    def __call__(self, model: nn.Module, x: Tensor, y: Tensor, rng: KeyedRng) -> dict[str, Tensor]:
        before = None
        if isinstance(self.config, Trades):
            with torch.no_grad(), module_modes(model.modules(), training=True):
                before = model(x).log_softmax(-1)
        attacked = model(self.adversary(model, x, y, rng, divergence_from=before))
        return self._terms(model(x), attacked, y) | {ACCURACY: accuracy(attacked, y)}

    def _terms(self, z: Tensor, attacked: Tensor, y: Tensor) -> dict[str, Tensor]:
        entropy, divergence = functional.cross_entropy, _divergence(z.log_softmax(-1), attacked)
        match self.config:
            case Mixed(clean=clean):
                adversarial = (1.0 - float(clean)) * entropy(attacked, y)
                return {"clean": float(clean) * entropy(z, y), "adversarial": adversarial}
            case Trades(beta=beta):
                return {"clean": entropy(z, y), "divergence": float(beta) * divergence.mean()}
            case Mart(beta=beta):
                others = attacked.softmax(-1).scatter(-1, y[:, None], 0.0).amax(-1)
                tiny = torch.finfo(attacked.dtype).eps  # of 1 - p, so that its logarithm is finite
                boosted = entropy(attacked, y) - torch.log((1.0 - others).clamp(min=tiny)).mean()
                p = z.softmax(-1).gather(-1, y[:, None])[:, 0]
                return {"boosted": boosted, "divergence": float(beta) * (divergence * (1.0 - p)).mean()}
            case _:
                assert_never(self.config)


def _divergence(before: Tensor, logits: Tensor) -> Tensor:
    """KL(p ‖ q) per row, from log p and the logits of q."""
    return (before.exp() * (before - logits.log_softmax(-1))).sum(-1)


def _divergence_loss(before: Tensor) -> Loss:
    """The divergence from fixed log-probabilities, as the loss of an attack."""
    return lambda logits, criterion: _divergence(before, logits)
